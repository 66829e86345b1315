/*
 * Shows exact times in the reader's time zone. The server doesn't know the zone and writes UTC. With `data-shown`, the
 * page shows the time itself, as a time of day (`clock`) or with its date (`exact`). Otherwise it is the tooltip of a
 * relative time.
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

/*
 * The choice "Today" ends at the reader's midnight. Without this script, it ends at that of UTC, and says so. The day is
 * counted from the server's time, because the reader's clock may be wrong.
 */
for (const one of document.querySelectorAll("option[data-today]")) {
  const midnight = new Date(Number(one.dataset.now));
  midnight.setHours(24, 0, 0, 0);
  one.textContent = one.dataset.today.replace("{time}", formats.clock.format(midnight));
  one.form.elements.today_until.value = String(midnight.getTime());
}
