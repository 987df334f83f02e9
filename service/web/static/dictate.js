// A question spoken instead of typed, where the browser has speech recognition; loaded when its button is pressed for the first time.
// What is heard is put into the field as it comes, and asked by whoever speaks, with Enter or the button: a word may be misheard.
// Tests may hold on to: #speak (the button; aria-pressed while it listens).

let listening;

export function dictate(button, field, say, Recognition) {
  if (listening) return listening.stop();
  const before = field.value.trim();
  const words = button.dataset;
  const heard = new Recognition();
  listening = heard;
  heard.lang = document.documentElement.lang;
  heard.interimResults = true;
  heard.onresult = ({ results }) => {
    field.value = [before, ...[...results].map((each) => each[0].transcript.trim())].filter(Boolean).join(" ").slice(0, field.maxLength);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  heard.onerror = ({ error }) => error !== "aborted" && say(error === "no-speech" ? words.unheard : words.refused, true);
  heard.onend = () => {
    listening = undefined;
    button.setAttribute("aria-pressed", "false");
    field.focus();
  };
  button.setAttribute("aria-pressed", "true");
  say(words.listening, true);
  try {
    heard.start();
  } catch {
    heard.onend();
    say(words.refused, true);
  }
}
