/** Streams of valid and invalid requests, for the properties of raw HTTP. */

import fc from "fast-check";
import { CREDENTIALS, FORM, GRANT } from "./endpoint-answers.ts";

/** A request in parts, so that a test can change each of them. */
interface Parts {
  readonly line: string;
  readonly fields: readonly string[];
  /** Content-Length or Transfer-Encoding. */
  readonly framing: readonly string[];
  readonly body: string;
}

const textOf = ({ line, fields, framing, body }: Parts) => [line, ...fields, ...framing, "", body].join("\r\n");

const TOKEN_FIELDS = ["Host: a", `Content-Type: ${FORM}`, `Authorization: ${CREDENTIALS}`];
const token: Parts = {
  line: "POST /token HTTP/1.1",
  fields: TOKEN_FIELDS,
  framing: [`Content-Length: ${GRANT.length}`],
  body: GRANT,
};
const plain = (line: string): Parts => ({ line, fields: ["Host: a"], framing: [], body: "" });
const keys = plain("GET /jwks HTTP/1.1");

/** Requests that the server would answer recognizably if it parsed them out of a body. */
const SMUGGLED = [textOf(keys), textOf(token)];

const chunk = (content: string, size = content.length.toString(16), end = "\r\n") => `${size}\r\n${content}${end}`;

/** The content in chunks, split at these positions. */
function chunked(content: string, cuts: readonly number[], extension: string, trailers: readonly string[]): string {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (content.length + 1)), content.length])].sort(
    (a, b) => a - b,
  );
  const parts = places.slice(1).map((place, at) => content.slice(places[at], place));
  return [
    ...parts.filter((part) => part !== "").map((part) => chunk(part, `${part.length.toString(16)}${extension}`)),
    `0${extension}\r\n`,
    ...trailers.map((trailer) => `${trailer}\r\n`),
    "\r\n",
  ].join("");
}

const withLength = (base: Parts, body: string): Parts => ({
  ...base,
  framing: [`Content-Length: ${body.length}`],
  body,
});
const CODED = "Transfer-Encoding: chunked";
const EXTENSIONS = [
  "",
  ";a",
  ";a=b",
  ';a="b c"',
  ';a="\\""',
  ";a=b;c",
  " ;a",
  "; a=b",
  ";",
  ";=b",
  ';a="b',
  ";a b",
  "\t",
];
const TRAILERS = [
  "X-A: b",
  "X-A:",
  "X-Empty: \t",
  "Content-Length: 5",
  "Transfer-Encoding: chunked",
  "Host: b",
  "X A: b",
  " x",
];

/** Bodies that must not be parsed as requests. */
const content = fc.oneof(
  fc.constantFrom(...SMUGGLED),
  fc.constantFrom("", "a", GRANT, "0\r\n\r\n", "\r\n", `\r\n\r\n${SMUGGLED[0]}`),
  fc.string({ unit: "binary-ascii", maxLength: 30 }),
);
const inChunks = (base: Parts, of: fc.Arbitrary<string>, extension: fc.Arbitrary<string>): fc.Arbitrary<Parts> =>
  fc
    .tuple(of, fc.array(fc.nat(400), { maxLength: 4 }), extension, fc.subarray(TRAILERS.slice(0, 3)))
    .map(([all, cuts, ext, trailers]) => ({ ...base, framing: [CODED], body: chunked(all, cuts, ext, trailers) }));

const OTHERS = [plain("PUT /token HTTP/1.1"), plain("GET /nowhere HTTP/1.1"), plain("POST /nowhere HTTP/1.1"), keys];
const someOther = fc.constantFrom(...OTHERS);

/** Requests that every parser reads alike. */
const sound: fc.Arbitrary<Parts> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(keys) },
  { weight: 3, arbitrary: fc.constant(token) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        "GET /health/live HTTP/1.1",
        "HEAD /jwks HTTP/1.1",
        "HEAD /nowhere HTTP/1.1",
        "OPTIONS /jwks HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "GET http://elsewhere.test/jwks HTTP/1.1",
        "DELETE /token HTTP/1.1",
        "TRACE /token HTTP/1.1",
      )
      .map(plain),
  },
  { weight: 2, arbitrary: fc.tuple(someOther, content).map(([base, body]) => withLength(base, body)) },
  {
    weight: 2,
    arbitrary: someOther.chain((base) => inChunks(base, content, fc.constantFrom(...EXTENSIONS.slice(0, 6)))),
  },
  { weight: 2, arbitrary: inChunks(token, fc.constant(GRANT), fc.constantFrom(...EXTENSIONS.slice(0, 6))) },
);

/** Request lines that replace the first line. METHOD and TARGET stand for those of the request. */
const LINES = [
  ...["METHOD  TARGET HTTP/1.1", "METHOD TARGET  HTTP/1.1", " METHOD TARGET HTTP/1.1", "METHOD\tTARGET\tHTTP/1.1"],
  ...[
    "METHOD TARGET",
    "METHOD",
    "METHOD TARGET ",
    "METHOD HTTP/1.1",
    "METHOD TARGET HTTP/1.1 ",
    "METHOD TARGET x HTTP/1.1",
  ],
  ...["METHOD TARGET HTTP/1.0", "METHOD TARGET HTTP/2.0", "METHOD TARGET HTTP/0.9", "METHOD TARGET HTTP/1.2"],
  ...[
    "METHOD TARGET HTTP/1.10",
    "METHOD TARGET http/1.1",
    "METHOD TARGET HTTP/1,1",
    "METHOD TARGET HTTP/11",
    "METHOD TARGET HTTP/1.1\r",
  ],
  ...[
    "get TARGET HTTP/1.1",
    "FOO TARGET HTTP/1.1",
    "PROPFIND TARGET HTTP/1.1",
    "PRI TARGET HTTP/1.1",
    "ANNOUNCE TARGET HTTP/1.1",
  ],
  ...["GE\0T TARGET HTTP/1.1", "M@THOD TARGET HTTP/1.1", "CONNECT a:443 HTTP/1.1", "CONNECT TARGET HTTP/1.1"],
  ...["METHOD http://aTARGET HTTP/1.1", "METHOD HTTPS://a:1TARGET HTTP/1.1", "METHOD http://u@aTARGET HTTP/1.1"],
  ...[
    "METHOD http://TARGET HTTP/1.1",
    "METHOD ftp://aTARGET HTTP/1.1",
    "METHOD a:80 HTTP/1.1",
    "METHOD aTARGET HTTP/1.1",
  ],
  ...[
    "METHOD * HTTP/1.1",
    "METHOD ** HTTP/1.1",
    "METHOD TARGET?x=%00#y HTTP/1.1",
    "METHOD /\x80TARGET HTTP/1.1",
    "METHOD /\0TARGET HTTP/1.1",
  ],
  ...[
    "METHOD /\x7f HTTP/1.1",
    "METHOD //aTARGET HTTP/1.1",
    "METHOD /%2e%2eTARGET HTTP/1.1",
    "METHOD \\TARGET HTTP/1.1",
  ],
];

const LENGTH = "Content-Length";
const lengthsOf = (size: number): readonly (readonly string[])[] => [
  ...[
    `+${size}`,
    `-${size}`,
    `0${size}`,
    ` ${size} `,
    `\t${size}\t`,
    `0x${size.toString(16)}`,
    `${size}.0`,
    `${size}e0`,
  ].map((one) => [`${LENGTH}:${one}`]),
  ...[
    "",
    "a",
    `${size}a`,
    `${size} 0`,
    `${size},`,
    `${size}, ${size}`,
    `${size}, 0`,
    `"${size}"`,
    `${size}\x0b`,
    `\xa0${size}`,
  ].map((one) => [`${LENGTH}: ${one}`]),
  ...[2n ** 64n + BigInt(size), 2n ** 32n + BigInt(size), 10n ** 30n].map((one) => [`${LENGTH}: ${one}`]),
  [`${LENGTH}: ${size + 1}`],
  [`${LENGTH}: ${Math.max(0, size - 1)}`],
  [`${LENGTH}: 0`],
  [`${LENGTH}: ${size}`, `${LENGTH}: ${size}`],
  [`${LENGTH}: ${size}`, "content-length: 0"],
  ["content-length: 0", `${LENGTH}: ${size}`],
  [`${LENGTH.toUpperCase()}: ${size}`],
  [`${LENGTH} : ${size}`],
  [`${LENGTH}:`, ` ${size}`],
  [`${LENGTH}\0: ${size}`],
  [`${LENGTH}_: ${size}`],
  [`${LENGTH}: ${size}`, CODED],
  [CODED, `${LENGTH}: ${size}`],
];

const CODINGS: readonly (readonly string[])[] = [
  ...[
    "chunked",
    "Chunked",
    "CHUNKED",
    "\tchunked",
    "chunked ",
    "chunked\t",
    " chunked , ",
    ",chunked",
    "chunked,",
    "",
    "\x0bchunked",
  ].map((one) => [`Transfer-Encoding:${one}`]),
  ...[
    "xchunked",
    "chunkedx",
    "chunk",
    "identity",
    "gzip",
    "gzip, chunked",
    "identity, chunked",
    "chunked, gzip",
    "chunked, identity",
  ].map((one) => [`Transfer-Encoding: ${one}`]),
  ...[
    "chunked, chunked",
    "chunked;q=1",
    '"chunked"',
    "chunked\0",
    "chunked chunked",
    "chunked;",
    "cow, chunked",
    "\xa0chunked",
  ].map((one) => [`Transfer-Encoding: ${one}`]),
  [CODED, CODED],
  ["Transfer-Encoding: gzip", CODED],
  [CODED, "Transfer-Encoding: identity"],
  ["Transfer-Encoding:", " chunked"],
  ["Transfer-Encoding : chunked"],
  ["transfer-encoding: chunked"],
  ["Transfer_Encoding: chunked"],
  ["X: y\rTransfer-Encoding: chunked"],
  ["X: y\nTransfer-Encoding: chunked"],
];

/** Forms of the size of a chunk that has this number of bytes. */
const sizesOf = (size: number): readonly string[] => {
  const hex = size.toString(16);
  return [
    ...[
      `+${hex}`,
      `-${hex}`,
      `0x${hex}`,
      ` ${hex}`,
      `${hex} `,
      `${hex}\t`,
      `0${hex}`,
      `${"0".repeat(40)}${hex}`,
      hex.toUpperCase(),
    ],
    ...[
      "",
      "g",
      `${hex}g`,
      `${hex}.0`,
      `${hex}_`,
      `f${"0".repeat(15)}${hex}`,
      `1${"0".repeat(16)}${hex}`,
      "ffffffffffffffffff",
    ],
    ...[
      (size + 1).toString(16),
      (size + 2).toString(16),
      Math.max(0, size - 1).toString(16),
      "0",
      `${hex}\0`,
      `${hex}\n`,
      `${hex}\r`,
    ],
    ...EXTENSIONS.map((extension) => hex + extension),
    ...[
      `${hex};a\n`,
      `${hex};\n${hex}`,
      `${hex};a=\r`,
      `${hex};a="\n"`,
      `${hex};\0`,
      `${hex};a=\x80`,
      `${hex};a=b\r\r`,
    ],
  ];
};
const CHUNK_ENDS = ["\r\n", "", "\n", "\r", "\r\r\n", "\n\r", "X\r\n", "\r\nX", " \r\n"];

const FIELDS = [
  ...[
    "Host: b",
    "Host: a b",
    "Host: a/b",
    "Host: a@b",
    "Host: a:b",
    "Host:",
    "Host: [::1]:80",
    "Host: a,b",
    "hOST: a",
    "Host: \xe4",
  ],
  ...[
    "X-A : b",
    ": b",
    "X-A",
    "X-A: b\0",
    "\0X-A: b",
    "X-A: b\x01",
    "X-A: b\x7f",
    "X-A: b\x80\xff",
    " X-A: b",
    "X-A: b\r\n c",
  ],
  ...[
    "X-A: b\rc",
    "X-A: b\nX-B: c",
    "X-A:\x0bb",
    "X-\x80: b",
    "X(: b",
    "X-A:",
    "X-A: \t ",
    "x-a: : :",
    "X-A: b\r",
    "\r",
  ],
  ...[
    "Connection: keep-alive",
    "Connection: close",
    "Connection: Close ",
    "connection: x, close",
    "Connection: closed",
  ],
  ...[
    "Connection: close, keep-alive",
    "Connection: keep-alive, close",
    "Connection: upgrade",
    "Connection:",
    "Connection: ,",
  ],
  ...["Upgrade: websocket", "Connection: Upgrade\r\nUpgrade: h2c", "Upgrade:", "Connection: x, upgrade\r\nUpgrade: x"],
  ...["Expect: 100-continue", "Expect: 100-Continue", "Expect: tea", "Expect:", "Expect: 100-continue, tea"],
  ...[
    "Expect: 100-continue\r\nExpect: 100-continue",
    "Proxy-Connection: keep-alive",
    "Keep-Alive: timeout=1",
    "TE: trailers",
  ],
  ...[
    "Trailer: Host",
    "Content-Type: text/plain",
    "Content-Encoding: gzip",
    `Authorization: ${CREDENTIALS}`,
    "Max-Forwards: 0",
  ],
];

const put = (list: readonly string[], at: number, ...more: string[]) =>
  list.toSpliced(at % (list.length + 1), 0, ...more);

/** One request with one fault, or with a harmless peculiarity. */
function bent(base: Parts): fc.Arbitrary<Parts> {
  const [method = "", target = ""] = base.line.split(" ");
  const body = base.framing[0] === CODED ? fc.constant(GRANT) : fc.constantFrom(base.body, ...SMUGGLED);
  return fc.oneof(
    fc.constantFrom(...LINES).map((line) => ({
      ...base,
      line: line.replace("METHOD", method).replace("TARGET", target),
    })),
    fc
      .tuple(fc.constantFrom(...FIELDS), fc.nat(4))
      .map(([field, at]) => ({ ...base, fields: put(base.fields, at, field) })),
    fc.constant({ ...base, fields: base.fields.slice(1) }),
    body.chain((all) => fc.constantFrom(...lengthsOf(all.length)).map((framing) => ({ ...base, framing, body: all }))),
    fc
      .tuple(fc.constantFrom(...CODINGS), body, fc.boolean())
      .map(([framing, all, coded]) => ({ ...base, framing, body: coded ? chunk(all) + chunk("") : all })),
    body
      .filter((all) => all !== "")
      .chain((all) =>
        fc.tuple(fc.constant(all), fc.constantFrom(...sizesOf(all.length)), fc.constantFrom("\r\n", ...CHUNK_ENDS)),
      )
      .map(([all, size, end]) => ({ ...base, framing: [CODED], body: chunk(all, size, end) + chunk("") })),
    fc
      .tuple(body, fc.subarray(TRAILERS), fc.constantFrom(...EXTENSIONS))
      .map(([all, trailers, ext]) => ({ ...base, framing: [CODED], body: chunked(all, [7], ext, trailers) })),
  );
}

/** Two faults in one request. They are rare, and sometimes worse. */
const bentOnceOrTwice = fc.oneof({ weight: 3, arbitrary: sound.chain(bent) }, sound.chain(bent).chain(bent));

/** The bytes between two requests: none, or empty lines (RFC 9112 §2.2). */
const gap = fc.oneof(
  { weight: 8, arbitrary: fc.constant("") },
  fc.constantFrom("\r\n", "\r\n\r\n", "\n", "\r", " ", "\0"),
);

const joined = (requests: readonly Parts[], gaps: readonly string[]) =>
  requests.map((request, at) => textOf(request) + (gaps[at] ?? "")).join("");

/** Valid requests only, up to this number. */
export const soundStreams = (most: number): fc.Arbitrary<string> =>
  fc.array(sound, { minLength: 1, maxLength: most }).map((requests) => joined(requests, []));

/** Faults at any byte. */
const fault = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  drop: fc.nat({ max: 4 }),
  add: fc.oneof(
    fc.constantFrom("", "\r", "\n", "\r\n", " ", "\t", "\0", ":", "0", ";", ",", "\x0b", "\xff"),
    fc.constantFrom(...FIELDS, ...CODINGS.flat(), ...LINES).map((line) => `${line}\r\n`),
  ),
});

/** Valid requests around an invalid one, sometimes with a fault at any byte. */
export const streams: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(sound, { maxLength: 3 }),
    bentOnceOrTwice,
    fc.array(fc.oneof({ weight: 3, arbitrary: sound }, bentOnceOrTwice), { maxLength: 3 }),
    fc.array(gap, { maxLength: 7 }),
    fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(fault, { minLength: 1, maxLength: 3 })),
  )
  .map(([before, middle, behind, gaps, faults]) =>
    faults.reduce(
      (text, { at, drop, add }) => {
        const place = Math.floor(at * text.length);
        return text.slice(0, place) + add + text.slice(place + drop);
      },
      joined([...before, middle, ...behind], gaps),
    ),
  );

/** A stream in pieces, with pauses between them. */
export const cuts: fc.Arbitrary<readonly (readonly [place: number, pause: number])[]> = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })),
  ),
  { minLength: 1, maxLength: 8 },
);

/** The start of a request in pieces that never becomes complete, or nothing. */
export const slowBeginnings: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.constantFrom(textOf(token), textOf(withLength(keys, GRANT)), ""), fc.nat(), fc.integer({ min: 1, max: 40 }))
  .map(([whole, end, size]) => {
    const part = whole.slice(0, whole === "" ? 0 : 1 + (end % (whole.length - 1)));
    return Array.from({ length: Math.ceil(part.length / size) }, (_, at) => part.slice(at * size, (at + 1) * size));
  });
