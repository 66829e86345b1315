/** A real SMTP server on loopback that keeps the messages it receives. */

import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

export interface Received extends Email {
  /** The recipients of the envelope. */
  readonly recipients: readonly string[];
  /** The unchanged message. */
  readonly raw: string;
  /** The first web address in the text of the message. */
  readonly link: string;
}

export interface TestMailbox {
  readonly port: number;
  readonly messages: Received[];
  /** The answers to the next messages, each used once: an SMTP code, or 0 to cut the connection. */
  readonly refusals: number[];
  /** The next message to an address that no earlier call returned. */
  next(to: string): Promise<Received>;
  /** Number of messages to an address so far. */
  to(address: string): readonly Received[];
  stop(): Promise<void>;
}

const PATIENCE = 20_000;

/** Without TLS unless `options` request it. */
export async function startMailbox(options: SMTPServerOptions = {}): Promise<TestMailbox> {
  const messages: Received[] = [];
  const refusals: number[] = [];
  const asked = new Map<string, number>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const refusal = refusals.shift();
        if (refusal !== undefined) return void done(Object.assign(new Error("refused"), { responseCode: refusal }));
        const raw = Buffer.concat(chunks).toString();
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        void PostalMime.parse(raw).then((email) => {
          const link = /https?:\/\/[^\s<>"]+/.exec(email.text ?? "")?.[0] ?? "";
          messages.push({ ...email, recipients, raw, link });
          done();
        });
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const to = (address: string) => messages.filter(({ recipients }) => recipients.includes(address));
  return {
    port: (server.server.address() as AddressInfo).port,
    messages,
    refusals,
    to,
    async next(address) {
      const seen = asked.get(address) ?? 0;
      const until = performance.now() + PATIENCE;
      for (;;) {
        const message = to(address)[seen];
        if (message !== undefined) {
          asked.set(address, seen + 1);
          return message;
        }
        if (performance.now() > until) throw new Error(`no message came to ${address}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A server configuration that sends to this mailbox. */
export function smtpTo({ port }: TestMailbox) {
  const user = null;
  return { host: "127.0.0.1", port, secure: false, user, password: null, loopback: true } as const;
}
