/** The style of our pages, in light and dark, as it stands in them: its hash is in their security policy. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --back: #f4f2ee; --card: #ffffff; --line: #e2ded6; --text: #22252b; --soft: #5d636e;
  --wall: #8b8578; --door: #6b4a2f; --knob: #f0d9a8; --way: #ffd77a;
  --good: #1d7a4c; --bad: #b3362b; --plain: #4d6178;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14161a; --card: #1d2026; --line: #31353e; --text: #eceef2; --soft: #a3aab7;
    --wall: #8a919e; --door: #6a4930; --knob: #e5c98f; --way: #ffd77a;
    --good: #5fd09a; --bad: #ff8d80; --plain: #9fb6d3;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 1.5rem;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1rem;
  background: var(--back); color: var(--text);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main {
  width: 100%; max-width: 30rem; padding: 2.25rem 2rem 1.75rem; text-align: center;
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem;
  border-top: 4px solid var(--tone);
}
.good { --tone: var(--good); } .bad { --tone: var(--bad); } .plain { --tone: var(--plain); }
h1 { margin: 0.75rem 0 0.5rem; font-size: 1.6rem; line-height: 1.25; color: var(--tone); text-wrap: balance; }
p { margin: 0; text-wrap: pretty; }
dl { margin: 1.25rem 0; text-align: left; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0 0 0.6rem; font-weight: 600; overflow-wrap: anywhere; }
.button {
  display: inline-block; padding: 0.6rem 1.25rem; border-radius: 0.5rem; text-decoration: none;
  background: var(--tone); color: var(--card); font-weight: 600;
}
.button:focus-visible { outline: 3px solid var(--way); outline-offset: 2px; }
.note { margin-top: 1.5rem; padding-top: 1.1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.9rem; }
footer { color: var(--soft); font-size: 0.85rem; letter-spacing: 0.08em; }
.wall { fill: var(--wall); } .door { fill: var(--door); } .knob { fill: var(--knob); } .way { fill: var(--way); }
.ground { stroke: var(--line); stroke-width: 2; stroke-linecap: round; }
@media (max-width: 30rem) { main { padding: 1.75rem 1.25rem 1.25rem; } h1 { font-size: 1.4rem; } }
`;
