/** What stands in most messages, so that it is recognised and not made anew each time. */
const texts = [
  ...[
    'id',
    'event',
    'retry',
    'uri',
    '2.0',
    'jsonrpc',
    'method',
    'params',
    'result',
    'error',
    'name',
    'arguments',
    'data',
    'level',
  ],
  ...[
    '_meta',
    'code',
    'message',
    'content',
    'text',
    'type',
    'logger',
    'progress',
    'progressToken',
    'requestId',
  ],
  ...['protocolVersion', 'io.modelcontextprotocol/protocolVersion'],
  ...['ping', 'initialize', 'tools/call', 'tools/list', 'resources/read', 'prompts/get', 'total', 'taskId'],
  ...[
    'notifications/message',
    'notifications/progress',
    'notifications/cancelled',
    'notifications/initialized',
  ],
];
const longest = 40;
const byLength = Array.from({ length: longest }, (_, length) =>
  texts.filter((text) => text.length === length),
);

/** The text that these bytes spell, where it is one of those; undefined for others. */
export function knownText(bytes: Uint8Array, from: number, to: number): string | undefined {
  for (const text of byLength[to - from] ?? []) {
    let same = 0;
    while (same < text.length && bytes[from + same] === text.charCodeAt(same)) same += 1;
    if (same === text.length) return text;
  }
  return undefined;
}
