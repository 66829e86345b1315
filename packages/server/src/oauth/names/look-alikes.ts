/** Detects names that look like others (UTS #39 §4), for RFC 7591 §5: a client must not pass for another one. */

import { LOOK_ALIKES } from "./look-alikes-table.ts";

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const HEX = 16;

/** Made when the first name is compared. */
let prototypes: ReadonlyMap<string, string> | undefined;

function prototypeOf(character: string): string {
  prototypes ??= new Map(
    LOOK_ALIKES.split(" ").flatMap((group) => {
      const [prototype = "", members = ""] = group.split("=");
      const text = String.fromCodePoint(...prototype.split(".").map((point) => Number.parseInt(point, HEX)));
      return members.split(",").map((point) => [String.fromCodePoint(Number.parseInt(point, HEX)), text] as const);
    }),
  );
  return prototypes.get(character) ?? character;
}

/**
 * The skeleton of a text: two texts that look the same have the same one (UTS #39 §4, after NFKC). Use it to compare,
 * never to show.
 */
export function skeleton(text: string): string {
  let alike = "";
  for (const character of decomposed(text)) alike += prototypeOf(character);
  return alike.normalize("NFD");
}

const ALL_ASCII = /^[\x20-\x7e]*$/;

function decomposed(text: string): string {
  if (ALL_ASCII.test(text)) return text;
  // Half a surrogate pair must not become a whole one when the characters in between are removed.
  return text.toWellFormed().normalize("NFKD").replace(INVISIBLE, "");
}

/** Whether each letter looks like an ASCII character, without its accents. */
export function looksLatin(text: string): boolean {
  const letters = decomposed(text).replace(/\p{M}/gu, "");
  return letters !== "" && ALL_ASCII.test([...letters].map(prototypeOf).join(""));
}

/**
 * The form in which usernames that look alike are equal; nobody else can have the same one. Null: no other username
 * looks like it. ASCII characters stay distinct: `anna1` and `annal` are two names.
 */
export function usernameLookAlike(username: string): string | null {
  const alike = [...decomposed(username)]
    .map((character) =>
      ALL_ASCII.test(character) ? character : prototypeOf(character).toLowerCase().replace(/^rn$/, "m"),
    )
    .join("")
    .normalize("NFC");
  return alike === username ? null : alike;
}

/** Signs and spaces don't make a name different, unless they look like letters. */
const BETWEEN = /[\p{P}\p{Z}\p{S}]+/gu;

/**
 * The keys by which names of clients are compared. Two names with a common key are the same, or look alike to somebody
 * who reads quickly. Keys ignore case. They also use capitals, because more of those look alike (`к` and `k` don't, `К`
 * and `K` do).
 */
export function nameKeys(name: string): readonly string[] {
  const plain = (text: string) => text.replace(BETWEEN, "") || text.replace(/\p{Z}+/gu, "");
  const read = (text: string) => skeleton(text).toLowerCase().replaceAll("i", "l");
  return [...new Set([name, name.toUpperCase()].flatMap((text) => [read(plain(text)), plain(read(text))]))];
}
