import type { SetValue } from '../core/configuration/configuration.js';
import type { Setting } from '../core/configuration/settings.js';
import { columnsOf, fitted, wrapped } from '../core/text/layout.js';
import { type Look, toned } from '../core/text/look.js';
import { printable } from '../core/text/printable.js';

export const sources = { file: 'config.json', environment: 'the environment' } as const;

/** The least columns of a terminal that the table is for. */
const minTableWidth = 80;

/** The least columns for what is said of a setting. */
const minTextRoom = 30;

type Found = ReadonlyMap<string, SetValue>;

/** The settings that anybody needs first: a table, or, where a line has no room for that, each with what is said of it below. */
export function settingsTable(look: Look, shown: readonly Setting[], set: Found): readonly string[] {
  const rows = shown.map(
    (setting) => [setting.key, valueIn(setting, set), `${setting.describe} (${setting.takes})`] as const,
  );
  const widest = (texts: readonly string[]) => Math.max(...texts.map(columnsOf));
  const values = rows.map(([, value]) => value);
  const keyWidth = widest(rows.map(([key]) => key)) + 2;
  const wanted = look.width < 100 ? Math.min(20, widest(values)) : Math.min(look.width * 0.3, widest(values));
  const valueRoom = Math.floor(Math.max(wanted, 20, widest(values.flatMap((value) => value.split(' ')))));
  const room = look.width - keyWidth - valueRoom - 2;
  if (look.width < minTableWidth || room < minTextRoom) {
    return shown.flatMap((setting, at) => [...(at === 0 ? [] : ['']), ...stacked(look, setting, set)]);
  }
  const lines = rows.flatMap(([key, value, text]) => {
    const parts = wrapped(value, valueRoom);
    const texts = wrapped(text, room);
    return Array.from({ length: Math.max(parts.length, texts.length) }, (_, at) => [
      at === 0 ? toned(look, 'name', key) : '',
      parts[at] ?? '',
      toned(look, 'dim', texts[at] ?? ''),
    ]);
  });
  const padded = (cell: string, width: number) => cell + ' '.repeat(Math.max(0, width - columnsOf(cell)));
  return [
    ...lines.map(([key = '', value = '', text = '']) =>
      `${padded(key, keyWidth)}${padded(value, valueRoom + 2)}${text}`.trimEnd(),
    ),
    '',
    ...waysToChange(look, shown),
  ];
}

function waysToChange(look: Look, shown: readonly Setting[]): readonly string[] {
  const variables = shown.map(({ variable }) => variable).join(', ');
  const options = shown
    .flatMap(({ option }) => option ?? [])
    .map((option) => option.replace(/^login /, ''))
    .join(', ');
  return [
    ...fitted('To change one: postern config set KEY VALUE', look.width),
    ...wrapped(`By variables: ${variables}`, look.width),
    ...wrapped(`For one login: ${options}`, look.width),
  ];
}

/** Where it is not the default, with what set it. */
function valueIn({ key, fallback }: Setting, set: Found): string {
  const one = set.get(key);
  return printable(one === undefined ? fallback : `${one.value} (from ${sources[one.by]})`, 400);
}

function stacked(look: Look, setting: Setting, set: Found): readonly string[] {
  const { key, takes, describe, variable, option } = setting;
  const ways = [variable, ...(option === undefined ? [] : [option])].join(', ');
  const below = [describe, `takes ${takes}; or by ${ways}`];
  const [first = '', ...others] = fitted(`${key}: ${valueIn(setting, set)}`, look.width);
  return [
    first.replace(key, () => toned(look, 'name', key)),
    ...others,
    ...below.flatMap((text) => wrapped(text, look.width, 2)).map((line) => toned(look, 'dim', line)),
  ];
}
