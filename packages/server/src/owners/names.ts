/** Usernames and e-mail addresses in one canonical form each: two spellings never are two people. */

/** Letters, digits and . _ - of any script; no @, so that a username is never taken for an address. */
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,62}[\p{L}\p{M}\p{N}_-]?$/u;
const EMAIL = /^[^\s@"<>(),:;\\[\]]{1,64}@[^\s@"<>(),:;\\[\]]{1,190}$/u;
const HOST = /^(?=.{1,190}$)([\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?\.)*[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;

/** Undefined: it may not be a username. Case and compatibility forms (full-width letters) make no difference. */
export function canonicalUsername(text: string): string | undefined {
  const name = folded(text);
  return name !== undefined && USERNAME.test(name) ? name : undefined;
}

/** Undefined: it may not be an address. The local part is folded, too: nobody shares a mailbox by case. */
export function canonicalEmail(text: string): string | undefined {
  const address = folded(text);
  if (address === undefined || !EMAIL.test(address)) return undefined;
  const host = address.slice(address.indexOf("@") + 1);
  return HOST.test(host) ? address : undefined;
}

/** What a person typed into "username or e-mail", ready to look up. */
export function canonicalLogin(text: string): string | undefined {
  const trimmed = text.trim();
  return canonicalEmail(trimmed) ?? canonicalUsername(trimmed);
}

function folded(text: string): string | undefined {
  if (text.length === 0 || text.length > 254 || !text.isWellFormed()) return undefined;
  // Folding may uncover what NFKC composes, so it is applied again.
  return text.normalize("NFKC").toLowerCase().normalize("NFKC");
}

const MAX_SUBJECT = 255;

/**
 * What another system identifies a person by, exactly as it writes it: nothing is folded, since two spellings may be two people there. Undefined: it
 * is none; 1 to 255 characters, no control character, no space at either end.
 */
export function foreignSubject(text: string): string | undefined {
  const fits = text.length > 0 && text.length <= MAX_SUBJECT && text.isWellFormed() && text.trim() === text;
  return fits && !/\p{Cc}/u.test(text) ? text : undefined;
}

/** A domain of addresses in lower case, also if an @ stands before it. */
export function canonicalDomain(text: string): string | undefined {
  return canonicalEmail(`x@${text.replace(/^@/, "")}`)?.slice(2);
}
