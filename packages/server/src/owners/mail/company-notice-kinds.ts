/** News for people who are not on a page, for the code that delivers them (by mail, by a chat). */

/** The app of a request. `host`: the address to which it sends the member back. Null: a device, or not recorded. */
interface AskedApp {
  readonly clientId: string;
  readonly name: string;
  readonly host: string | null;
}

interface Who {
  readonly personId: string;
  readonly username: string;
  readonly name: string | null;
}

export interface CompanyRef {
  readonly companyId: string;
  readonly slug: string;
  readonly name: string;
}

/** The answer to a member's request. The names are those of the scopes that the member asked for. */
export interface DecisionAnswer {
  /** What the member may let the app do from now on. */
  readonly allowed: readonly string[];
  /** When the approval ends, in epoch milliseconds. Null: when an admin changes it. Each member can choose a sooner end. */
  readonly until: number | null;
  readonly refused: readonly string[];
  /** The request stays open for these. */
  readonly waiting: readonly string[];
  /** True: the admin blocked the app for the whole company. */
  readonly blocked: boolean;
  /** True: the app is paused for the company, so the member can use what is allowed once an admin resumes it. Absent: false. */
  readonly paused?: true;
}

/**
 * `company_sign_in`: for the company's admins; one of them changed the company's own sign-in provider.
 * `company_request`: for the company's admins; a member asks them to approve an app. `company_decision`: for that
 * member; an admin's decision. `company_invitation`: for the invited person; the link works once, for them alone, and
 * must not be logged. `company_removal`: for the member whom an admin removed.
 */
export type Notice =
  | {
      readonly kind: "company_sign_in";
      readonly company: CompanyRef;
      readonly by: Who;
      /** The provider's name. */
      readonly provider: string;
    }
  | {
      readonly kind: "company_request";
      readonly company: CompanyRef;
      readonly client: AskedApp;
      readonly by: Who;
      readonly reason: string;
    }
  | {
      readonly kind: "company_decision";
      readonly company: CompanyRef;
      readonly client: AskedApp;
      readonly by: Who;
      /** The person who asked. */
      readonly askedBy: string;
      /** True: the member may use the app for everything that they asked for. */
      readonly approved: boolean;
      readonly answer: DecisionAnswer;
    }
  | {
      readonly kind: "company_removal";
      readonly company: CompanyRef;
      readonly by: Who;
      /** The person who was removed. */
      readonly personId: string;
      /** The company's own provider at which the next sign-in makes them a member again. Null: none does. */
      readonly returnsBy: string | null;
    }
  | {
      readonly kind: "company_invitation";
      readonly company: CompanyRef;
      /** The canonical e-mail address or username. */
      readonly addressee: string;
      readonly role: "member" | "admin";
      readonly by: Who;
      readonly link: string;
      /** Epoch milliseconds. */
      readonly expiresAt: number;
    };
