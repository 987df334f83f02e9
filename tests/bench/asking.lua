-- wrk: each connection puts questions from the file in BODIES, one JSON body a line, each once; then says what was measured.
local bodies = {}
for line in io.lines(os.getenv("BODIES")) do bodies[#bodies + 1] = line end
local at = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
done = function(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    "measured %d %d %d %d %d %d %d\n", summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    errors.connect + errors.read + errors.write + errors.timeout, errors.status))
end
