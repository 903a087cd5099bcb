import { asObject, type JsonObject, type JsonValue } from '../core/text/json.js';
import { jsonPieces } from '../core/text/json-pieces.js';
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

/** Text for a terminal, made in pieces. */
export function* terminalText(texts: Iterable<string>): Generator<string, void, undefined> {
  for (const text of texts) {
    for (const piece of piecesOf(text, pieceLength)) yield serverText(piece, true);
  }
}

/** What a person reads of a protocol result: lists as lines, tool and prompt content as text, all else as JSON. */
export function resultText(method: string, result: JsonObject): Iterable<string> {
  switch (method) {
    case 'tools/list':
      return entries(result['tools'], toolLine);
    case 'prompts/list':
      return entries(result['prompts'], (prompt) => named(prompt, 'name', 'description'));
    case 'resources/list':
      return entries(result['resources'], (resource) => named(resource, 'uri', 'name'));
    case 'tools/call':
      return contents(result['content']) ?? jsonPieces(result, '  ');
    case 'resources/read':
      return contents(result['contents']) ?? jsonPieces(result, '  ');
    default:
      return jsonPieces(result, '  ');
  }
}

function entries(value: JsonValue | undefined, line: (entry: JsonObject) => string): Iterable<string> {
  const objects = (Array.isArray(value) ? value : []).map(asObject).filter((entry) => entry !== undefined);
  return objects.length === 0 ? ['(none)'] : lines(objects, line);
}

function* lines<Entry>(all: readonly Entry[], line: (entry: Entry) => string): Generator<string, void, undefined> {
  for (const [index, entry] of all.entries()) {
    if (index > 0) yield '\n';
    yield line(entry);
  }
}

function toolLine(tool: JsonObject): string {
  const schema = asObject(tool['inputSchema']) ?? {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(asObject(schema['properties']) ?? {});
  const shown = names.map((name) => (required.includes(name) ? name : `[${name}]`)).join(' ');
  return named(tool, 'name', 'description', shown);
}

function named(entry: JsonObject, key: string, about: string, more = ''): string {
  const [name, text] = [entry[key], entry[about]];
  const head = [typeof name === 'string' ? name : '?', more].filter((part) => part !== '').join(' ');
  const [firstLine = ''] = typeof text === 'string' ? text.split('\n') : [];
  return firstLine === '' ? oneLine(head) : `${oneLine(head)}\n    ${oneLine(firstLine)}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}

/** Text blocks joined; undefined if another block is among them, which only JSON shows. */
function contents(value: JsonValue | undefined): Iterable<string> | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.map((block) => asObject(block)?.['text']);
  return texts.every((text) => typeof text === 'string') ? lines(texts, (text) => text) : undefined;
}

/** One line for a notification. */
export function notificationLine(method: string, params: JsonObject): string {
  switch (method) {
    case 'notifications/progress':
      return progressLine(params);
    case 'notifications/message':
      return `Server (${printable(String(params['level'] ?? 'log'), 20)}): ${quoted(textOf(params['data']), 500)}`;
    default:
      return `Server: ${printable(method, 80)}`;
  }
}

function progressLine(params: JsonObject): string {
  const { progress, total, message } = params;
  const count = typeof progress === 'number' ? String(progress) : '?';
  const of = typeof total === 'number' ? ` of ${total}` : '';
  return `Progress: ${count}${of}${typeof message === 'string' ? ` ${quoted(message)}` : ''}`;
}

function textOf(data: unknown): string {
  return typeof data === 'string' ? data : JSON.stringify(data ?? null);
}
