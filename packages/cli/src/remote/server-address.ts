/** The address of a server that commands work on over the network. */

import { UsageError } from "../command-errors.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The issuer without a final slash. Tokens travel there, so it is https unless its host is this machine. */
export function serverAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // `localhost:9400` parses, too: as the scheme "localhost".
  if (url === undefined || !text.includes("://")) {
    throw new UsageError(
      "the server must be an address such as https://login.example.com, with https:// at its beginning",
    );
  }
  const { protocol, hostname, username, password, search, hash } = url;
  if (username !== "" || password !== "" || search !== "" || hash !== "") {
    throw new UsageError("the server's address must have no user, query or fragment");
  }
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.test(hostname))) {
    throw new UsageError("the server must have https; http is allowed for this machine alone");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
