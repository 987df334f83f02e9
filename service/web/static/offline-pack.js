// The bytes of a fragment: a header in JSON and arrays behind it (index/offline/container.py).

const ARRAYS = {
  u1: Uint8Array, i1: Int8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array,
};

/** The header and the arrays of a deflated fragment. Throws where it is damaged. */
export async function readFragment(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const plain = await new Response(stream).arrayBuffer();
  const length = new DataView(plain).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(plain, 4, length)));
  const arrays = {};
  for (const [name, [kind, first, count]] of Object.entries(header.arrays)) {
    arrays[name] = new ARRAYS[kind](plain, 4 + length + first, count);
  }
  return { header, arrays };
}

/** A float of 16 bits. */
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
