/** Messages on their way through SMTP (RFC 5321), over TLS (RFC 8314) but on loopback. */

import type { Transporter } from "nodemailer";

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; false: by STARTTLS. */
  readonly secure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  /** On this machine: TLS is used if it is offered. */
  readonly loopback: boolean;
}

/** A message in words. */
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
  /** Resolves when the server has taken the message. Throws a `MailFault`. */
  send(letter: Letter): Promise<void>;
  close(): void;
}

/** Why a message was not taken. Its text holds nothing of the message or of the server's words, which repeat addresses. */
export class MailFault extends Error {
  /** Trying again would meet the same. */
  readonly permanent: boolean;

  constructor(fault: string, permanent: boolean) {
    super(fault);
    this.permanent = permanent;
  }
}

const PATIENCE = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

/** A connection is made when there is something to send. */
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
          // Nothing in a message is ever a path or an address to be fetched.
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

/** The library is loaded by servers that send something. */
async function open({ host, port, secure, user, password, loopback }: SmtpServer): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    ...{ host, port, secure, ...PATIENCE },
    requireTLS: !secure && !loopback,
    tls: { minVersion: "TLSv1.2", rejectUnauthorized: !loopback },
    ...(user === null ? {} : { auth: { user, pass: password ?? "" } }),
  });
}

/** RFC 5321 §4.2.1: 5yz about the message or its recipient is final. About us (a wrong password) it is the operator's to mend. */
function faultOf(error: unknown): MailFault {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const reply = typeof responseCode === "number" ? responseCode : undefined;
  const name = typeof code === "string" && /^[A-Z_]{2,30}$/.test(code) ? code : "UNKNOWN";
  const final = reply !== undefined && reply >= 500 && (name === "EENVELOPE" || name === "EMESSAGE");
  return new MailFault(reply === undefined ? name : `${name} ${reply}`, final);
}

/** Writes messages to the log in place of sending them: for a demo on one machine. */
export function logTransport(log: (fields: Readonly<Record<string, string>>, text: string) => void): Transport {
  return {
    async send({ to, subject, text }) {
      const link = /https?:\/\/\S+/.exec(text)?.[0] ?? "";
      log({ event: "mail", to, subject, link }, `mail to ${to}: ${subject}: ${link}`);
    },
    close: () => undefined,
  };
}
