/**
 * The methods of a storage port that a function uses, by name: `Uses<OwnerStorage, "people.get" | "attempts.count">`.
 */

/** The names of all methods with their aggregate, for example "attempts.count". */
type Methods<Port> = {
  [Aggregate in keyof Port & string]: `${Aggregate}.${keyof Port[Aggregate] & string}`;
}[keyof Port & string];

type AggregateOf<Names extends string> = Names extends `${infer Aggregate}.${string}` ? Aggregate : never;

type MethodOf<Names extends string, Aggregate extends string> = Names extends `${Aggregate}.${infer Method}`
  ? Method
  : never;

export type Uses<Port, Names extends Methods<Port>> = {
  readonly [Aggregate in keyof Port & AggregateOf<Names>]: Pick<
    Port[Aggregate],
    MethodOf<Names, Aggregate> & keyof Port[Aggregate]
  >;
};
