/** Counts down to the end of a token; the page says the time of day without it. */

function show() {
  for (const place of document.querySelectorAll("[data-until]")) {
    const left = Math.ceil((Number(place.dataset.until) - Date.now()) / 1000);
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    place.textContent = left > 0 ? ` · ${clock} left` : " · timed out";
    place.classList.toggle("over", left <= 0);
  }
}

show();
setInterval(show, 1000);
