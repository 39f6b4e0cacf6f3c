// The search: all words, in any order, in the title, the heading or the text of a section. The index comes when the field is first used.
const form = document.querySelector("form[role=search]"), field = document.getElementById("search");
const hits = document.getElementById("hits"), found = document.getElementById("found");
const base = document.querySelector("script[src$='site.js']").src.replace(/site\.js$/, "");
const SHOWN = 20, AROUND = 70;
let loading = null;

function load() {
    loading ||= new Promise((done, failed) => {
        const script = document.createElement("script");
        script.src = base + "search.js";
        script.onload = done;
        script.onerror = failed;
        document.head.append(script);
    });
    return loading;
}

function score(words, [, page, , title, text]) {
    const places = [[page.toLowerCase(), 20], [title.toLowerCase(), 10], [text.toLowerCase(), 1]];
    let sum = 0;
    for (const word of words) {
        const own = places.reduce((s, [where, worth]) => s + (where.includes(word) ? worth : 0), 0);
        if (!own) return 0;
        sum += own + Math.min(5, places[2][0].split(word).length - 1) * 400 / (400 + text.length); // a long section has every word
    }
    return sum;
}

// The text around the first word, with all of them marked.
function snippet(words, text) {
    const lower = text.toLowerCase(), places = words.map(w => lower.indexOf(w)).filter(at => at >= 0);
    const first = Math.max(0, (places.length ? Math.min(...places) : 0) - AROUND), p = document.createElement("p");
    let rest = (first > 0 ? "… " : "") + text.slice(first, first + 3 * AROUND).trim() + (first + 3 * AROUND < text.length ? " …" : "");
    while (rest) {
        const low = rest.toLowerCase();
        const [at, word] = words.map(w => [low.indexOf(w), w]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0])[0] || [-1];
        if (at < 0) break;
        const mark = document.createElement("mark");
        mark.textContent = rest.slice(at, at + word.length);
        p.append(rest.slice(0, at), mark);
        rest = rest.slice(at + word.length);
    }
    p.append(rest);
    return p;
}

async function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(w => w.length > 1);
    await load();
    const best = words.length ? window.siteIndex.map(s => [score(words, s), s]).filter(([n]) => n).sort((a, b) => b[0] - a[0]) : [];
    hits.replaceChildren(...best.slice(0, SHOWN).map(([, [path, page, name, title, text]]) => {
        const item = document.createElement("li"), link = document.createElement("a");
        link.href = base + path + (name ? "#" + name : "");
        link.textContent = title && title !== page ? page + ": " + title : page;
        item.append(link, snippet(words, text));
        return item;
    }));
    found.textContent = !words.length ? "" : best.length === 1 ? "1 section" : best.length + " sections" + (best.length > SHOWN ? ", the best " + SHOWN + " are shown" : "");
}

form.hidden = false;
field.addEventListener("focus", load);
field.addEventListener("input", search);
form.addEventListener("submit", event => { event.preventDefault(); hits.querySelector("a")?.click(); });
document.addEventListener("keydown", event => {
    if (event.key === "Escape") { field.value = ""; search(); }
    if (event.key === "/" && event.target.tagName !== "INPUT") { event.preventDefault(); field.focus(); }
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || !form.contains(event.target)) return;
    const stops = [field, ...hits.querySelectorAll("a")], at = stops.indexOf(document.activeElement);
    const next = stops[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) { event.preventDefault(); next.focus(); }
});
document.addEventListener("click", event => { if (!form.contains(event.target)) hits.replaceChildren(); });
