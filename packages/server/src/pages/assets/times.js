/*
 * Says exact times in the zone of whoever reads: the server doesn't know it and writes UTC. `data-shown`: the time itself stands on the page, as a
 * time of day (`clock`) or with its date (`exact`); elsewhere it is the tooltip of a relative one.
 */
const day = { year: "numeric", month: "long", day: "numeric" };
const time = {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  timeZoneName: "short",
};
const language = document.documentElement.lang;
const formats = {
  clock: new Intl.DateTimeFormat(language, time),
  exact: new Intl.DateTimeFormat(language, { ...day, ...time }),
};

for (const one of document.querySelectorAll("time[datetime]")) {
  const at = new Date(one.dateTime);
  const shown = formats[one.dataset.shown];
  if (shown) one.textContent = shown.format(at);
  else one.title = formats.exact.format(at);
}
