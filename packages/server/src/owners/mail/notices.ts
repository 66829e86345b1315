/** What people should hear of although they look at no page: for whoever delivers it (by mail, by a chat). */

interface Who {
  readonly personId: string;
  readonly username: string;
}

export interface CompanyRef {
  readonly companyId: string;
  readonly slug: string;
  readonly name: string;
}

/**
 * `company_request`: to the company's admins, a member asks to let an app in. `company_decision`: to that member, what an admin said. `company_invitation`: to the addressee; the link works once, for
 * them alone, and must stand in no log. `company_removal`: to the member whom an admin removed.
 */
export type Notice =
  | {
      readonly kind: "company_request";
      readonly company: CompanyRef;
      readonly client: { readonly clientId: string; readonly name: string };
      readonly by: Who;
      readonly reason: string;
    }
  | {
      readonly kind: "company_decision";
      readonly company: CompanyRef;
      readonly client: { readonly clientId: string; readonly name: string };
      readonly by: Who;
      /** Who had asked. */
      readonly askedBy: string;
      readonly approved: boolean;
    }
  | {
      readonly kind: "company_removal";
      readonly company: CompanyRef;
      readonly by: Who;
      /** Who was removed. */
      readonly personId: string;
    }
  | {
      readonly kind: "company_invitation";
      readonly company: CompanyRef;
      /** Canonical e-mail address or username. */
      readonly addressee: string;
      readonly role: "member" | "admin";
      readonly by: Who;
      readonly link: string;
      /** Epoch milliseconds. */
      readonly expiresAt: number;
    };
