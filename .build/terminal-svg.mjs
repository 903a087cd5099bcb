const themes = {
  light: { paper: '#ffffff', edge: '#d0d7de', text: '#1f2328', dim: '#59636e', 31: '#b3261e', 32: '#1a7f37', 33: '#855900', 36: '#0b6e84' },
  dark: { paper: '#0d1117', edge: '#30363d', text: '#e6edf3', dim: '#9198a1', 31: '#ff7b72', 32: '#3fb950', 33: '#d29922', 36: '#56d4dd' },
};

const wide = 8.4;
const high = 19;
const margin = 16;
const bar = 30;

/**
 * What a terminal shows, as an SVG: one `text` for each line, a `tspan` for each tone, each at its column, so that it
 * stands right in whatever fixed-width font is there, can be selected, and is read aloud.
 * @param screen lines with the codes of colours (SGR) that postern and tmux use
 */
export function drawTerminal(screen, { columns, theme, title }) {
  const colors = themes[theme];
  const lines = spansOf(screen);
  const width = Math.ceil(columns * wide) + 2 * margin;
  const height = lines.length * high + bar + 2 * margin - 8;
  const texts = lines.map((spans, at) => {
    const parts = spans.map(({ text, column, style }) => `<tspan x="${left(column)}"${attributes(style)}>${escaped(text)}</tspan>`);
    return `<text y="${bar + margin + 8 + at * high}">${parts.join('')}</text>`;
  });
  const dots = [0, 1, 2].map((at) => `<circle cx="${18 + at * 16}" cy="16" r="4.5" fill="${colors.edge}"/>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${colors.text}; white-space: pre; }
.strong { font-weight: 600; }
.dim { fill: ${colors.dim}; }
${[31, 32, 33, 36].map((code) => `.c${code} { fill: ${colors[code]}; }`).join('\n')}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colors.paper}" stroke="${colors.edge}"/>
${dots.join('')}
${texts.join('\n')}
</svg>
`;
}

/** Each line's pieces of one style, with the column where each begins. */
function spansOf(screen) {
  const style = { strong: false, dim: false, color: 0 };
  return screen.split('\n').map((line) => {
    const spans = [];
    let column = 0;
    for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
      if (text === undefined) {
        for (const code of basicCodes(codes)) change(style, code);
        continue;
      }
      const shown = text.replaceAll('\u000f', '');
      if (shown.trim() !== '') spans.push({ text: shown, column, style: { ...style } });
      column += [...shown].length;
    }
    return spans;
  });
}

/** Colours of the palette (src/core/text/look.ts) as those that a theme of ours has for them. */
function basicCodes(codes) {
  const known = { 28: 32, 32: 36, 166: 33, 196: 31 };
  return codes.replace(/38;5;(\d+)/g, (_, color) => known[color] ?? 39).split(';').map(Number);
}

function change(style, code) {
  if (code === 0) Object.assign(style, { strong: false, dim: false, color: 0 });
  else if (code === 1) style.strong = true;
  else if (code === 2) style.dim = true;
  else if (code === 22) Object.assign(style, { strong: false, dim: false });
  else if (code === 39) style.color = 0;
  else if (code in themes.light) style.color = code;
}

function attributes({ strong, dim, color }) {
  const names = [strong && 'strong', dim && 'dim', color !== 0 && `c${color}`].filter(Boolean);
  return names.length === 0 ? '' : ` class="${names.join(' ')}"`;
}

function left(column) {
  return Math.round((margin + column * wide) * 10) / 10;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
