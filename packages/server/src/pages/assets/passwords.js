/*
 * Lets people see the password that they type, and shows how hard a new one is to guess. The script sends nothing and
 * blocks nothing: only the server decides which passwords it accepts. The texts are data attributes of the script's
 * element.
 */
const { show, hide, showLabel, hideLabel, strength } = document.currentScript.dataset;
const levels = strength.split("|");

for (const input of document.querySelectorAll('input[type="password"]')) {
  const button = document.createElement("button");
  const set = (shown) => {
    input.type = shown ? "text" : "password";
    button.textContent = shown ? hide : show;
    button.setAttribute("aria-label", shown ? hideLabel : showLabel);
  };
  button.type = "button";
  button.className = "reveal";
  button.setAttribute("aria-controls", input.id);
  button.addEventListener("click", () => {
    set(input.type === "password");
    input.focus();
  });
  set(false);
  input.after(button);
  // A browser offers to save the password only if the field has the type `password` when the form is sent.
  input.form?.addEventListener("submit", () => set(false));
  if (input.name === "password" && input.autocomplete === "new-password") meter(input, button);
}

function meter(input, after) {
  const line = document.createElement("p");
  const bar = document.createElement("span");
  const text = document.createElement("span");
  line.className = "strength";
  bar.className = "strength-bar";
  text.setAttribute("role", "status");
  line.append(bar, text);
  line.hidden = true;
  after.after(line);
  const names = [...input.form.querySelectorAll('input[type="text"], input[type="email"]')];
  input.addEventListener("input", () => {
    line.hidden = input.value === "";
    const words = names.flatMap(({ value }) => value.toLowerCase().split(/[@.\s]+/));
    const level = levelOf(input.value, words);
    line.dataset.level = level;
    if (text.textContent !== levels[level]) text.textContent = levels[level];
  });
}

/** Frequent parts of passwords: words, and rows of keys. */
const KNOWN =
  "password passwort welcome letmein iloveyou monkey dragon football baseball sunshine princess admin login secret master shadow superman batman summer winter hello";
const ROWS = ["qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"];

/** 0: too short. 1: weak. 2: good. 3: strong. Based on a rough estimate of the necessary guesses, in bits. */
function levelOf(password, own) {
  const letters = [...password];
  if (letters.length < 8) return 0;
  let rest = password.toLowerCase();
  let bits = 0;
  for (const word of [...KNOWN.split(" "), ...own.filter((one) => one.length > 2)]) {
    if (!rest.includes(word)) continue;
    rest = rest.replaceAll(word, "");
    bits += 6;
  }
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(password)).length;
  const left = [...rest];
  // Words that are separated by spaces are easier to guess: four words are about 44 bits, not 100.
  const each = kinds > 1 && !password.includes(" ") ? 3.6 + kinds * 0.5 : 3;
  const fresh = left.filter((one, at) => !follows(left[at - 1], one) && left.indexOf(one, Math.max(0, at - 3)) === at);
  bits += fresh.length * each + (left.length - fresh.length) * 0.5;
  return bits < 36 ? 1 : bits < 56 ? 2 : 3;
}

/** Whether the second letter is equal to the first, next to it in the alphabet, or next to it on the keyboard. */
function follows(first, second) {
  if (first === undefined) return false;
  const step = second.codePointAt(0) - first.codePointAt(0);
  const pair = first + second;
  return Math.abs(step) <= 1 || ROWS.some((row) => row.includes(pair) || row.includes(second + first));
}
