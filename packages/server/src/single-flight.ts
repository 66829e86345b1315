/** Work that several ask for at once, done once. */

/** One piece of work for all who want the same at the same time. */
export function singleFlight<Key, Made>(make: (key: Key) => Promise<Made>): (key: Key) => Promise<Made> {
  const making = new Map<Key, Promise<Made>>();
  return (key) => {
    const underWay = making.get(key) ?? make(key).finally(() => making.delete(key));
    making.set(key, underWay);
    return underWay;
  };
}
