/** The canonical form of usernames and e-mail addresses, so that two spellings are never two people. */

/** Letters and digits of any script, and . _ - inside. No @, so that a username can't be taken for an address. */
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,62}[\p{L}\p{M}\p{N}_-]?$/u;
const EMAIL = /^[^\s@"<>(),:;\\[\]]{1,64}@[^\s@"<>(),:;\\[\]]{1,190}$/u;
const HOST = /^(?=.{1,190}$)([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

/**
 * The username without differences of case and compatibility forms (full-width letters). Undefined: the text can't be a
 * username.
 */
export function canonicalUsername(text: string): string | undefined {
  const name = folded(text);
  return name !== undefined && USERNAME.test(name) ? name : undefined;
}

/**
 * The address in lower case, the local part included, because no two people have mailboxes that differ in case.
 * Undefined: the text can't be an address.
 */
export function canonicalEmail(text: string): string | undefined {
  const address = folded(text);
  if (address === undefined || !EMAIL.test(address)) return undefined;
  const host = address.slice(address.indexOf("@") + 1);
  return HOST.test(host) ? address : undefined;
}

/** The text typed into "username or e-mail" in the form in which names are stored. */
export function canonicalLogin(text: string): string | undefined {
  const trimmed = text.trim();
  return canonicalEmail(trimmed) ?? canonicalUsername(trimmed);
}

function folded(text: string): string | undefined {
  if (text.length === 0 || text.length > 254 || !text.isWellFormed()) return undefined;
  // Lower case can produce text that NFKC would compose, so NFKC is applied again.
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}

const MAX_SUBJECT = 255;

/**
 * The name by which another system identifies a person, exactly as written: two spellings may be two people there.
 * Undefined: the text can't be such a name. It has 1 to 255 characters, no control character, and no space at either
 * end.
 */
export function foreignSubject(text: string): string | undefined {
  const fits = text.length > 0 && text.length <= MAX_SUBJECT && text.isWellFormed() && text.trim() === text;
  return fits && !/\p{Cc}/u.test(text) ? text : undefined;
}

/** A domain of addresses in lower case. The text may begin with an @. */
export function canonicalDomain(text: string): string | undefined {
  return canonicalEmail(`x@${text.replace(/^@/, "")}`)?.slice(2);
}

const AT_NOBODY = "@users.invalid";

/** An address that belongs to nobody, and that no mail reaches (RFC 2606 §2). It is in the place of an unknown one. */
export function addressOfNobody(personId: string): string {
  return personId.toLowerCase() + AT_NOBODY;
}

/** Nobody is shown such an address. */
export function isAddressOfNobody(email: string): boolean {
  return email.endsWith(AT_NOBODY);
}
