/*
 * Fills forms with an authenticator's answer (Web Authentication Level 3). `data-passkey` says whether to create or use
 * a passkey, and `data-options` has the options. The form is sent like any other; the script fetches nothing. Shows its
 * elements only if the browser supports passkeys.
 */

const bytesOf = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");

function optionsOf(form) {
  const options = JSON.parse(form.dataset.options);
  const withBytes = (list) => (list || []).map((one) => ({ ...one, id: bytesOf(one.id) }));
  return {
    ...options,
    challenge: bytesOf(options.challenge),
    ...(options.user ? { user: { ...options.user, id: bytesOf(options.user.id) } } : {}),
    ...(options.excludeCredentials ? { excludeCredentials: withBytes(options.excludeCredentials) } : {}),
  };
}

function answerOf(credential) {
  const { response } = credential;
  const made = response.attestationObject !== undefined;
  return JSON.stringify({
    id: credential.id,
    rawId: textOf(credential.rawId),
    type: credential.type,
    clientExtensionResults: {},
    authenticatorAttachment: credential.authenticatorAttachment || undefined,
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      ...(made
        ? {
            attestationObject: textOf(response.attestationObject),
            transports: response.getTransports ? response.getTransports() : [],
          }
        : {
            authenticatorData: textOf(response.authenticatorData),
            signature: textOf(response.signature),
            userHandle: response.userHandle ? textOf(response.userHandle) : undefined,
          }),
    },
  });
}

/* Only one request may be open at a time. The button's request replaces the one for the username's autofill. */
let waiting = new AbortController();

async function ask(form, mediation) {
  waiting.abort();
  waiting = new AbortController();
  const publicKey = optionsOf(form);
  const about = { publicKey, signal: waiting.signal };
  const credential =
    form.dataset.passkey === "create"
      ? await navigator.credentials.create(about)
      : await navigator.credentials.get(mediation ? { ...about, mediation } : about);
  form.elements.credential.value = answerOf(credential);
  HTMLFormElement.prototype.submit.call(form);
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  if (!window.PublicKeyCredential || !form.dataset.options) continue;
  form.hidden = false;
  for (const one of form.querySelectorAll("[data-passkey-ready]")) one.hidden = false;
  for (const one of document.querySelectorAll("[data-passkey-without]")) one.hidden = true;
  const problem = form.querySelector("[data-passkey-problem]");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    problem.hidden = true;
    ask(form).catch(() => {
      problem.hidden = false;
    });
  });
  if (form.dataset.conditional && PublicKeyCredential.isConditionalMediationAvailable) {
    PublicKeyCredential.isConditionalMediationAvailable().then((available) => {
      /* The person didn't start this request, so a failure shows no message. */
      if (available) ask(form, "conditional").catch(() => undefined);
    });
  }
}
