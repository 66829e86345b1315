/** Sends messages by SMTP (RFC 5321), over TLS (RFC 8314) except on loopback. */

import type { Transporter } from "nodemailer";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True: TLS from the first byte. False: STARTTLS. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** The mail server is on this machine: TLS is used only if it offers TLS. */
  readonly loopback: boolean;
}

/** A message as text and HTML. */
export interface Letter {
  readonly id: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: string;
}

export interface Transport {
  /** Resolves when the mail server has accepted the message. Throws a `MailFault`. */
  send(letter: Letter): Promise<void>;
  close(): void;
}

/**
 * Why the mail server did not accept a message. The text contains nothing of the message or of the server's reply,
 * because replies repeat addresses.
 */
export class MailFault extends Error {
  /** True: another try would fail in the same way. */
  readonly permanent: boolean;

  constructor(fault: string, permanent: boolean) {
    super(fault);
    this.permanent = permanent;
  }
}

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

/** Connects only when there is something to send. */
export function smtpTransport(server: SmtpServer): Transport {
  let transporter: Promise<Transporter> | undefined;
  return {
    async send({ id, from, to, subject, text, html, language }) {
      transporter ??= open(server);
      try {
        await (await transporter).sendMail({
          from: { ...from },
          to: { name: "", address: to },
          messageId: `<${id}@${from.address.slice(from.address.indexOf("@") + 1)}>`,
          headers: { "Auto-Submitted": "auto-generated", "Content-Language": language },
          // The library must never read a file or fetch an address that a message names.
          disableFileAccess: true,
          disableUrlAccess: true,
          ...{ subject, text, html },
        });
      } catch (error) {
        throw faultOf(error);
      }
    },
    close: () =>
      void transporter?.then(
        (one) => one.close(),
        () => undefined,
      ),
  };
}

/** Loads the library when the first message is sent. */
async function open({ host, port, secure, user, password, loopback }: SmtpServer): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...{ host, port, secure, ...PATIENCE },
    requireTLS: !secure && !loopback,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: !loopback },
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
}

/**
 * RFC 5321 §4.2.1: 5yz about the message or its recipient is final. An error about this server (a wrong password) is
 * not: the operator can fix it.
 */
function faultOf(error: unknown): MailFault {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const reply = typeof responseCode === "number" ? responseCode : undefined;
  const name = typeof code === "string" && /^[A-Z_]{2,30}$/.test(code) ? code : "UNKNOWN";
  const final = reply !== undefined && reply >= 500 && (name === "EENVELOPE" || name === "EMESSAGE");
  return new MailFault(reply === undefined ? name : `${name} ${reply}`, final);
}

/** Writes messages to the log instead of sending them, for a demo on one machine. */
export function logTransport(log: (fields: Readonly<Record<string, string>>, text: string) => void): Transport {
  return {
    async send({ to, subject, text }) {
      const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
      log({ event: "mail", to, subject, link }, `mail to ${to}: ${subject}: ${link}`);
    },
    close: () => undefined,
  };
}
