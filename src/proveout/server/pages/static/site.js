// Live pages: when the run has something new, the page is fetched again and the parts that
// changed are exchanged. Without this script a reload shows the same.
const PAUSE = 700;

const fetched = async () => {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
};

// What the reader did to a part: opened details, scrolled boxes, ticked boxes, slid sliders.
const HANDS = "details, .scroll, input";
const taken = (part) => [...part.querySelectorAll(HANDS)].map((one) => ({
  open: one.open, left: one.scrollLeft, checked: one.checked, value: one.value,
}));
const given = (part, kept) => [...part.querySelectorAll(HANDS)].forEach((one, place) => {
  const was = kept[place];
  if (!was) return;
  if (one.matches("details") && was.open !== undefined) one.open = was.open;
  if (one.matches(".scroll")) one.scrollLeft = was.left;
  if (one.matches("input[type=checkbox]")) one.checked = was.checked;
  if (one.matches("input[type=range]")) one.value = was.value;
});

const exchange = (fresh) => {
  for (const part of document.querySelectorAll("[data-live]")) {
    const next = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
    if (!next || next.innerHTML === part.dataset.shown) continue;
    part.dataset.shown = next.innerHTML;
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const address = focused && focused.getAttribute("href");
    const kept = taken(part);
    const [left, top] = [part.scrollLeft, part.scrollTop];
    part.replaceChildren(...next.childNodes);
    given(part, kept);
    part.scrollTo(left, top);
    if (address) part.querySelector(`[href="${CSS.escape(address)}"]`)?.focus({ preventScroll: true });
  }
  document.title = fresh.title;
  document.dispatchEvent(new Event("shown"));
};

const tell = (words) => {
  for (const place of document.querySelectorAll("[data-told]")) place.textContent = words;
};

const follow = () => {
  const streaming = document.querySelector("[data-stream]");
  const polling = document.querySelector("[data-poll]");
  const source = streaming && new EventSource(streaming.dataset.stream);
  let timer = 0;
  let busy = false;
  let again = false;
  const stop = () => { source?.close(); clearInterval(timer); };
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    do {
      again = false;
      try {
        const fresh = await fetched();
        exchange(fresh);
        tell("");
        if (!fresh.querySelector("[data-stream], [data-poll]")) stop();
      } catch { /* The next event, or the next look, tries again. */ }
      await new Promise((done) => setTimeout(done, PAUSE));
    } while (again);
    busy = false;
  };
  const look = (seconds) => {
    clearInterval(timer);
    timer = setInterval(refresh, 1000 * seconds);
  };
  if (source) {
    source.addEventListener("message", refresh);
    source.addEventListener("open", refresh);
    source.addEventListener("end", () => { stop(); refresh(); });
    source.addEventListener("error", () => {
      // The browser connects again by itself, unless it was refused; then looking has to do.
      if (source.readyState !== EventSource.CLOSED) { tell(" · connection lost, trying again"); return; }
      look(5);
      refresh();
    });
  } else if (polling) look(Number(polling.dataset.poll));
};

for (const part of document.querySelectorAll("[data-live]")) part.dataset.shown = part.innerHTML;
follow();

// Pictures may be dropped, and are shown before they are sent.
for (const drop of document.querySelectorAll("[data-drop]")) {
  const input = drop.querySelector("input[type=file]");
  const hint = drop.querySelector("[data-drop-hint]");
  hint.hidden = false;
  const preview = () => {
    drop.querySelector("img")?.remove();
    const file = input.files[0];
    if (!file || !file.type.startsWith("image/")) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const image = new Image();
      image.alt = `The chosen picture, ${file.name}`;
      image.src = reader.result;
      drop.prepend(image);
    });
    reader.readAsDataURL(file);
  };
  const over = (event) => { event.preventDefault(); drop.classList.add("over"); };
  drop.addEventListener("dragover", over);
  drop.addEventListener("dragenter", over);
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; preview(); }
  });
  input.addEventListener("change", preview);
}
