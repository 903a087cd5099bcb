import { type ItemRequest, performItemRequest } from './native.js';

// A process of its own for one use of the keychain, so that it can be killed when that hangs. Takes the request as
// one line of JSON on stdin, writes the response as one line on stdout. Its stdin ends when its parent does: then it
// must, too, and no gentler way ends a process that has a call to the keychain under way.

takeOneRequest();

function takeOneRequest(): void {
  let text = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('end', () => process.kill(process.pid, 'SIGKILL'));
  process.stdin.on('data', (piece: string) => {
    const seen = text.length;
    text += piece;
    const end = text.indexOf('\n', seen);
    if (end >= 0) {
      void performItemRequest(JSON.parse(text.slice(0, end)) as ItemRequest).then((response) => {
        process.stdout.write(`${JSON.stringify(response)}\n`, () => process.kill(process.pid, 'SIGKILL'));
      });
    }
  });
}
