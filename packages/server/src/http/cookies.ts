/**
 * Cookies: on https with `__Host-`, Secure, HttpOnly, SameSite=Lax; on an http loopback issuer without the prefix and
 * Secure.
 */

import type { HttpRequest } from "./http-message.ts";

export type CookieName = "session" | "browser" | "device" | "language";

export class Cookies {
  readonly #secure: boolean;

  constructor(issuer: string) {
    this.#secure = issuer.startsWith("https:");
  }

  #name(name: CookieName): string {
    return this.#secure ? `__Host-assent_${name}` : `assent_${name}`;
  }

  /** The cookie's value. If there are two cookies of one name, somebody may have planted one, so neither counts. */
  read(request: HttpRequest, name: CookieName): string | undefined {
    const wanted = this.#name(name);
    const values = (request.header("cookie") ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${wanted}=`))
      .map((pair) => pair.slice(wanted.length + 1));
    return values.length === 1 ? values[0] : undefined;
  }

  /** `maxAge` in seconds. Absent: until the browser closes. */
  set(name: CookieName, value: string, maxAge?: number): string {
    const parts = [`${this.#name(name)}=${value}`, "Path=/", "HttpOnly", "SameSite=Lax"];
    if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
    if (this.#secure) parts.push("Secure");
    return parts.join("; ");
  }

  clear(name: CookieName): string {
    return this.set(name, "", 0);
  }
}
