// The page's one script. Everything can be read and done without it; it adds words as
// they stream in, parts that change by themselves, copying, and keys.
(() => {
  "use strict";
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const store = { get: (key) => { try { return localStorage.getItem(key); } catch { return null; } }, set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* private */ } } };

  all(".js").forEach((part) => { part.hidden = false; });
  const theme = one("a.theme");
  if (theme) theme.href = theme.href.replace(/back=.*/, "back=" + encodeURIComponent(location.pathname + location.search));

  // ----- messages -----
  function toast(text, bad) {
    const box = one("#toasts");
    if (!box || !text) return;
    const note = document.createElement("span");
    note.className = "toast";
    note.textContent = text;
    if (bad) note.setAttribute("role", "alert");
    note.tabIndex = 0;
    box.append(note);
    const go = () => { if (note.matches(":hover, :focus")) setTimeout(go, 2000); else note.remove(); };
    setTimeout(go, bad ? 10000 : 5000);
  }
  let saidAt = 0, toSay = "", saying = 0;
  function say(text, now) {
    const line = one("#say");
    if (!line || !text) return;
    toSay = text;
    const wait = now ? 0 : Math.max(0, saidAt + 5000 - Date.now());
    clearTimeout(saying);
    saying = setTimeout(() => { line.textContent = toSay; saidAt = Date.now(); }, wait);
  }

  // ----- clocks -----
  const clock = (ms) => { const s = Math.max(0, Math.round(ms / 1000)); return Math.floor(s / 60) + ":" + String(s % 60).padStart(2, "0"); };
  function tick() {
    const now = Date.now();
    all("[data-since]").forEach((part) => { part.textContent = clock(now - part.dataset.since); });
    all("[data-until]").forEach((part) => { part.textContent = Math.max(0, Math.ceil((part.dataset.until - now) / 1000)) + " s"; });
  }
  setInterval(tick, 1000);
  tick();

  // ----- forms that change a debate -----
  // Says at a form's field why it failed; what was typed stays.
  function fault(form, text) {
    all(".err", form).forEach((part) => part.remove());
    const fields = all("input[type=text], textarea", form);
    fields.forEach((part) => part.removeAttribute("aria-invalid"));
    if (!text) return;
    const place = fields.find((part) => part.dataset.said && text.startsWith(part.dataset.said)) || fields[0];
    if (!place) { toast(text, true); return; }
    const line = document.createElement("p");
    line.className = "err full-width";
    line.id = place.id + "-err";
    line.textContent = text;
    line.setAttribute("role", "alert");
    place.before(line);
    place.setAttribute("aria-invalid", "true");
    place.setAttribute("aria-describedby", line.id);
    place.focus();
  }
  async function send(form, button) {
    const data = new URLSearchParams(new FormData(form));
    const action = (button && button.getAttribute("formaction")) || form.getAttribute("action");
    const buttons = all("button", form);
    buttons.forEach((part) => { part.disabled = true; });
    try {
      const answer = await fetch(action, { method: "POST", body: data, headers: { Accept: "application/json" } });
      if (answer.status === 401) { location.reload(); return; }
      const said = await answer.json().catch(() => ({}));
      fault(form, answer.ok ? "" : said.message || "This could not be done.");
      if (answer.ok) {
        toast(said.message || "Done.");
        all("input[type=text], textarea", form).forEach((part) => { part.value = ""; });
        const box = form.closest("dialog");
        if (box) box.close();
      }
    } catch {
      toast("The server did not answer. What you typed is still here.", true);
    } finally {
      buttons.forEach((part) => { part.disabled = false; });
    }
  }
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-live]")) return;
    event.preventDefault();
    const box = form.dataset.ask && one("#" + form.dataset.ask);
    if (box) box.showModal(); else send(form, event.submitter);
  });

  const rows = () => all("main li.deb:not(.hd), main section.sec, main details.round");
  const acts = {
    "open-rounds": () => all("#rounds > .box > details").forEach((part) => { part.open = true; }),
    "copy-link": () => copy(location.origin + location.pathname, "Link copied"),
    "copy-summary": () => copy(summary(), "Summary copied"),
    print: () => window.print(),
    focus: () => { const box = one("#focus-dialog"); if (box) box.showModal(); },
    close: (part) => part.closest("dialog").close(),
    reconnect: () => connect(),
  };
  document.addEventListener("click", (event) => {
    const part = event.target.closest("[data-do]");
    const act = part && acts[part.dataset.do];
    if (act) act(part);
  });
  function summary() {
    const text = (selector) => all(selector).map((part) => part.innerText.replace(/\s+/g, " ").trim()).join("\n");
    return [text(".question h1"), text(".card .say p"), text(".strip"), text(".why"), location.href].filter(Boolean).join("\n\n");
  }
  async function copy(text, done) {
    try { await navigator.clipboard.writeText(text); toast(done); } catch { toast("The browser did not allow copying.", true); }
  }
  // A link to something folded opens it.
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    target.scrollIntoView({ block: "nearest" });
  }
  window.addEventListener("hashchange", reveal);
  reveal();
  const alert = one("[role=alert][tabindex]");
  if (alert) alert.focus();

  // ----- keys -----
  const keysBox = one("input[data-do=keys]");
  if (keysBox) {
    keysBox.checked = store.get("keys") !== "off";
    keysBox.addEventListener("change", () => store.set("keys", keysBox.checked ? "on" : "off"));
  }
  let at = -1;
  const step = (by) => {
    const list = rows();
    if (!list.length) return;
    at = Math.min(list.length - 1, Math.max(0, at + by));
    const target = one("a, summary, h2", list[at]) || list[at];
    if (!target.matches("a, summary")) target.tabIndex = -1;
    target.focus();
    target.scrollIntoView({ block: "nearest" });
  };
  const field = (selector) => { const part = one(selector); if (part) { part.focus(); return true; } return false; };
  const keys = {
    "/": () => field("#find") || location.assign("/"),
    n: () => location.assign("/new"),
    j: () => step(1),
    k: () => step(-1),
    o: () => { const fold = document.activeElement.closest("details"); if (fold) fold.open = !fold.open; else if (document.activeElement.matches("a")) document.activeElement.click(); },
    p: () => { const part = one("[data-key=p]"); if (part) part.click(); },
    r: () => field("#rm"),
    f: () => acts.focus(),
    a: () => field("form[data-answer] textarea, form[data-answer] input[type=text]"),
    "?": () => location.assign("/keys"),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || store.get("keys") === "off") return;
    if (event.target.closest("input, textarea, select, dialog, [contenteditable]")) return;
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // ----- the live table -----
  const live = one("#live");
  let source = null, last = live ? Number(live.dataset.seq) : 0, retry = 0, lostAt = 0;
  const words = new Map();

  // Puts new HTML in a place; what was typed, opened or focused stays so.
  function put(place, html, outer) {
    const box = document.createElement("template");
    box.innerHTML = html;
    const open = new Set(all("details[open][id], details[open] > article", place).map((part) => part.id));
    if (place.id && place.open) open.add(place.id);
    const typed = new Map(all("input[id], textarea[id]", place).map((part) => [part.id, part.value]));
    const focus = place.contains(document.activeElement) ? document.activeElement.id : "";
    const fresh = outer ? box.content.firstElementChild : null;
    if (outer) place.replaceWith(fresh); else place.replaceChildren(box.content);
    const root = outer ? fresh : place;
    if (outer && open.has(root.id)) root.open = true;
    all("details[id]", root).forEach((part) => { if (open.has(part.id)) part.open = true; });
    typed.forEach((value, id) => { const part = value && document.getElementById(id); if (part) part.value = value; });
    if (focus && focus !== document.activeElement.id) { const part = document.getElementById(focus); if (part) part.focus(); }
    all(".js", root).forEach((part) => { part.hidden = false; });
  }
  function state(event) {
    const news = JSON.parse(event.data);
    if (news.seq < last) return;
    last = news.seq;
    live.dataset.seq = last;
    for (const [name, html] of news.parts) {
      const place = document.getElementById(name);
      if (name[0] === "r") {
        if (place) put(place, html, true);
        else { const box = document.createElement("template"); box.innerHTML = html; one("#live-rounds").append(box.content); }
      } else if (place) put(place, html, false);
      else if (name.startsWith("seat-")) { const cell = document.createElement("div"); cell.id = name; cell.className = "cell"; cell.innerHTML = html; one("#live-seats").append(cell); }
    }
    tick();
    words.forEach((text, seat) => write(seat, text));
    say(news.say, /asks you|gave no answer|Paused/.test(news.say));
  }
  function write(seat, text) {
    const part = one('[data-words="' + seat + '"]');
    if (!part) { words.delete(seat); return; }
    part.textContent = text;
    const tail = part.closest(".tail");
    tail.classList.toggle("long", tail.scrollHeight > tail.clientHeight || tail.firstElementChild.offsetHeight > tail.clientHeight);
  }
  function lost() {
    if (source) source.close();
    source = null;
    if (!lostAt) lostAt = Date.now();
    const wait = Math.min(10, ++retry);
    one("#lost").hidden = false;
    // A server that is there and does not let us in wants us to sign in again.
    if (retry > 1) fetch("/keys", { redirect: "manual" }).then((answer) => { if (answer.type === "opaqueredirect") location.reload(); }, () => {});
    let left = wait;
    const count = () => { one("#lost-when").textContent = "Trying again in " + left + " s."; };
    count();
    clearInterval(lost.timer);
    lost.timer = setInterval(() => { left -= 1; if (left <= 0) connect(); else count(); }, 1000);
  }
  function connect() {
    clearInterval(lost.timer);
    if (source) source.close();
    source = new EventSource("/debates/" + live.dataset.id + "/events?after=" + last);
    source.onopen = () => { retry = 0; lostAt = 0; one("#lost").hidden = true; };
    source.addEventListener("state", state);
    source.addEventListener("words", (event) => { const news = JSON.parse(event.data); words.set(news.seat, news.words); write(news.seat, news.words); });
    source.addEventListener("over", () => { source.close(); location.replace("/debates/" + live.dataset.id); });
    source.onerror = lost;
  }
  if (live) {
    connect();
    document.addEventListener("visibilitychange", () => { if (!document.hidden && !source) connect(); });
  }

  // ----- a new debate: files, and the estimate as you type -----
  const form = one("form[data-new]");
  if (form) {
    let waiting = 0;
    const estimate = async () => {
      const body = new URLSearchParams(new FormData(form));
      try {
        const answer = await fetch("/new/estimate", { method: "POST", body, headers: { Accept: "application/json" } });
        if (!answer.ok) return;
        const found = await answer.json();
        all("[data-estimate]").forEach((part) => { part.textContent = found[part.dataset.estimate] ?? ""; });
      } catch { /* the estimate of the last time stays */ }
    };
    form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(estimate, 500); });
    const files = one("input[type=file]", form);
    const add = async (list) => {
      for (const file of list) {
        if (file.size > 2e6) { toast(file.name + " is larger than 2 MB.", true); continue; }
        const text = await file.text();
        if (text.includes("\u0000")) { toast(file.name + " is not a text file.", true); continue; }
        const row = document.createElement("div");
        row.className = "file";
        const name = document.createElement("span"), size = document.createElement("span"), away = document.createElement("button");
        name.textContent = file.name;
        size.className = "quiet";
        size.textContent = Math.ceil(file.size / 1024) + " kB";
        away.type = "button";
        away.className = "linkish";
        away.textContent = "Remove";
        away.onclick = () => row.remove();
        const field = (kind, value) => { const part = document.createElement("input"); part.type = "hidden"; part.name = kind; part.value = value; return part; };
        row.append(name, size, away, field("file-name", file.name), field("file-text", text));
        one("#files").append(row);
      }
      if (files) files.value = "";
    };
    if (files) files.addEventListener("change", () => add(files.files));
    const drop = one(".drop", form);
    if (drop) {
      drop.addEventListener("dragover", (event) => event.preventDefault());
      drop.addEventListener("drop", (event) => { event.preventDefault(); add(event.dataTransfer.files); });
    }
  }
})();
