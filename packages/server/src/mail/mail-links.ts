/** Links in messages. They are derived credentials: the database stores only the hash of the salt. */

import { type DerivedCredentials, sha256 } from "../crypto/derived-credentials.ts";
import { derivedId, newId } from "../crypto/ids.ts";
import { randomBytes } from "../crypto/random.ts";
import type { Millis } from "../oauth/model.ts";
import type { MailLinks } from "../owners/mail/mail-content.ts";

interface Parts {
  readonly credentials: DerivedCredentials;
  readonly issuer: string;
  readonly now: () => Millis;
}

export function mailLinks({ credentials, issuer, now }: Parts): MailLinks {
  return {
    make({ partition, personId, purpose, address, ttl, about = null }, path, cause) {
      const linkId = cause === undefined ? newId(partition) : derivedId(partition, "mail link", cause);
      const salt = randomBytes(32);
      const token = credentials.make("mail link", linkId, 0, salt);
      const link = { partition, linkId, personId, purpose, address, expiresAt: now() + ttl, about };
      return { link, saltHash: sha256(salt), token, url: `${issuer}${path}?link=${token}` };
    },
  };
}
