import { type JsonObject, jsonWords } from '../core/text/json.js';
import { fitted, wrapped } from '../core/text/layout.js';
import { piecesOf, printable, quoted } from '../core/text/printable.js';

/**
 * A server's text for stdout: as it is into a file or pipe; on a terminal each line goes through `printable`, so that
 * no control sequence of a server's reaches it.
 */
export function serverText(text: string, toTerminal: boolean): string {
  return toTerminal
    ? text
        .split(/\r?\n/)
        .map((line) =>
          line
            .split('\t')
            .map((cell) => printable(cell, Number.POSITIVE_INFINITY))
            .join('\t'),
        )
        .join('\n')
    : text;
}

/** In characters. */
const pieceLength = 65_536;

/**
 * Text for a terminal, made in pieces.
 * @param width Lines that are wider are broken between words; those with tabs are not, as they are tables.
 */
export function* terminalText(
  texts: Iterable<string>,
  width = Number.POSITIVE_INFINITY,
): Generator<string, void, undefined> {
  const fit = (line: string) => (line.includes('\t') ? line : fitted(line, width).join('\n'));
  for (const text of texts) {
    for (const piece of piecesOf(text, pieceLength)) {
      const shown = serverText(piece, true);
      yield width === Number.POSITIVE_INFINITY ? shown : shown.split('\n').map(fit).join('\n');
    }
  }
}

/** With line feeds between them. */
export function* lines<Entry>(
  all: Iterable<Entry>,
  line: (entry: Entry) => string,
): Generator<string, void, undefined> {
  let isFirst = true;
  for (const entry of all) {
    if (!isFirst) yield '\n';
    isFirst = false;
    yield line(entry);
  }
}

/** How the server wants to be used, as it says itself; none where it says nothing. */
export function instructionLines(instructions: string | undefined, width: number): readonly string[] {
  const said = printable((instructions ?? '').replace(/\s+/g, ' ').trim(), 600);
  return said === '' ? [] : wrapped(`The server says: ${said}`, width);
}

/** Whether a notification tells that a list has changed: who asks for one thing need not know. */
export function isOfLists(method: string): boolean {
  return /^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method);
}

/** One line for a notification. */
export function notificationLine(method: string, params: JsonObject): string {
  switch (method) {
    case 'notifications/progress':
      return progressLine(params);
    case 'notifications/tasks':
      return taskLine(params);
    case 'notifications/message':
      return `Server (${printable(jsonWords(params['level'], 'log'), 20)}): ${quoted(jsonWords(params['data'], 'null'), 500)}`;
    default:
      return `Server: ${printable(method, 80)}`;
  }
}

function taskLine({ taskId, status, statusMessage }: JsonObject): string {
  const said = typeof statusMessage === 'string' ? ` ${quoted(statusMessage)}` : '';
  return `Task ${printable(jsonWords(taskId, '?'), 80)}: ${printable(jsonWords(status, '?'), 40).replaceAll('_', ' ')}${said}`;
}

function progressLine(params: JsonObject): string {
  const { progress, total, message } = params;
  const count = typeof progress === 'number' ? String(progress) : '?';
  const of = typeof total === 'number' ? ` of ${total}` : '';
  return `Progress: ${count}${of}${typeof message === 'string' ? ` ${quoted(message)}` : ''}`;
}
