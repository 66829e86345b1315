/** The operator's application can't be asked at the moment. Nobody is told that their password is wrong. */
export class ExistingPeopleUnavailable extends Error {}
