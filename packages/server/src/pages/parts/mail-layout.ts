/**
 * The HTML of a message. Mail programs load no style sheet, and some of them ignore `max-width` and padding outside
 * tables. So the layout is a table with inline styles. One small style sheet adds the dark theme where it is supported.
 */
import type { Chrome } from "../chrome.ts";
import { initial } from "../untrusted-text.ts";
import { type Child, html, type Markup, renderDocument } from "./html.ts";

/** One message: the same parts as its plain text. */
export interface MailParts {
  readonly subject: string;
  /** The first words in a list of messages. */
  readonly preview: string;
  readonly lines: readonly Child[];
  readonly facts: readonly (readonly [label: string, value: Child])[];
  /** Null: the message has neither button nor link. */
  readonly button: string | null;
  readonly link: string;
  readonly hint: Child;
  readonly footer: string;
}

const INK = "#16201c";
const SOFT = "color:#55625c;font-size:14px;line-height:1.5";
const FONT = "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif";
const BODY = `margin:0;padding:0;background:#f4f6f5;color:${INK};${FONT}`;
const WIDTH = 520;

/** The dark theme of our pages; on a phone, the value of a fact is below its label. */
function styles(accent: string): string {
  return `@media (max-width:480px){
.fact{display:block !important;width:auto !important}
.label{padding-bottom:0 !important}
.value{border-top:0 !important;padding-top:0 !important}
}
@media (prefers-color-scheme: dark){
.page{background:#0e1311 !important;color:#e9efec !important}
.card{background:#171d1a !important;border-color:#2c3531 !important}
.ink{color:#e9efec !important}
.soft{color:#a4b0aa !important}
.fact{border-color:#2c3531 !important}
.fill{background:${accent} !important}
.on-fill{color:#06120e !important}
}`;
}

export function mailDocument(parts: MailParts, { words, product, accent }: Chrome): string {
  const { subject, preview, lines, facts, button, link, hint, footer } = parts;
  const direction: string = words.direction;
  const start = direction === "rtl" ? "right" : "left";
  return renderDocument(html`
    <html lang=${words.language} dir=${words.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
        <style>${styles(accent.dark)}</style>
      </head>
      <body class="page" style=${BODY}>
        <div style="display:none;max-height:0;overflow:hidden" aria-hidden="true">${preview}</div>
        ${table(
          "page",
          "background:#f4f6f5",
          html`<td align="center" style="padding:24px 12px">
            ${table(
              "card",
              `max-width:${WIDTH}px;background:#ffffff;border:1px solid #dde3e0;border-radius:16px;border-collapse:separate`,
              html`<td align=${start} style=${`padding:28px;text-align:${start};${FONT}`}>
                <p class="ink" style=${`margin:0 0 24px;font-weight:600;color:${INK}`}>
                  <span class="fill" style=${`display:inline-block;width:28px;border-radius:8px;background:${accent.light};text-align:center;line-height:28px`} aria-hidden="true">
                    <span class="on-fill" style="color:#ffffff">${initial(product)}</span>
                  </span>
                  <span style="margin:0 8px">${product}</span>
                </p>
                <h1 class="ink" style=${`margin:0 0 12px;font-size:22px;line-height:1.3;font-weight:600;color:${INK};overflow-wrap:anywhere`}>${subject}</h1>
                ${lines.map((line) => html`<p class="ink" style=${`margin:0 0 12px;color:${INK};overflow-wrap:anywhere`}>${line}</p>`)}
                ${
                  facts.length > 0 &&
                  table(
                    "",
                    "margin:16px 0",
                    facts.map((one) => fact(one, start)),
                  )
                }
                ${button !== null && buttonOf(button, link, accent.light)}
                <p class="soft" style=${`margin:0 0 12px;${SOFT}`}>${hint}</p>
                ${button !== null && linkOf(words.mail.open, link)}
              </td>`,
              WIDTH,
            )}
            <p class="soft" style=${`max-width:${WIDTH - 56}px;margin:16px auto 0;padding:0 16px;text-align:${start};${SOFT}`}>${footer}</p>
          </td>`,
        )}
      </body>
    </html>
  `);
}

/** A table that only places its cells. `row`: the cells of its one row, or its rows. */
function table(names: string, style: string, row: Markup | readonly Markup[], width: number | "100%" = "100%"): Markup {
  return html`<table class=${names || null} role="presentation" width=${width} cellpadding="0" cellspacing="0" border="0" style=${`width:100%;${style}`}>
    ${Array.isArray(row) ? row : html`<tr>${row}</tr>`}
  </table>`;
}

function fact([label, value]: MailParts["facts"][number], start: "left" | "right"): Markup {
  const line = `padding:8px 0;padding-${start === "left" ? "right" : "left"}:12px;border-top:1px solid #dde3e0;vertical-align:top`;
  return html`<tr>
    <td class="fact label soft" width="38%" style=${`${line};${SOFT}`}>${label}</td>
    <td class="fact value ink" style=${`${line};color:${INK};font-size:14px;line-height:1.5;overflow-wrap:anywhere`}>${value}</td>
  </tr>`;
}

/** For mail programs that show no button. */
function linkOf(open: string, link: string): Child {
  return [
    html`<p class="soft" style=${`margin:0 0 4px;${SOFT}`}>${open}</p>`,
    html`<p style="margin:0;font-size:14px;line-height:1.5;overflow-wrap:anywhere;word-break:break-all" dir="ltr"><a class="soft" href=${link} style=${SOFT}>${link}</a></p>`,
  ];
}

/** The cell has the colour, too: Outlook for Windows gives a link no padding. */
function buttonOf(label: string, link: string, accent: string): Markup {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0;border-collapse:separate">
    <tr>
      <td class="fill" bgcolor=${accent} style=${`border-radius:10px;background:${accent}`}>
        <a class="on-fill" href=${link} style=${`display:inline-block;padding:12px 20px;border-radius:10px;color:#ffffff;text-decoration:none;${FONT};font-weight:600`}>${label}</a>
      </td>
    </tr>
  </table>`;
}
