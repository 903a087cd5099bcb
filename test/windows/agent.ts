import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { FromAgent, ToAgent } from './messages.js';

// Runs under wine's node.exe and starts programs there: a Unix pipe as a standard stream of a wine process fails with EBADF,
// pipes between Windows processes work. Speaks lines of JSON over a socket, whose end ends all that it has started.

const [port = '', key = ''] = process.argv.slice(2);
const socket = connect(Number(port), '127.0.0.1');
const children = new Map<number, ChildProcess>();
const say = (message: FromAgent) => socket.write(`${JSON.stringify(message)}\n`);

socket.write(`${key}\n`);
createInterface({ input: socket }).on('line', (line) => act(JSON.parse(line)));
for (const event of ['close', 'error']) socket.on(event, end);

function act(message: ToAgent): void {
  const child = children.get(message.id);
  if ('start' in message) begin(message.id, message.start);
  else if ('input' in message) child?.stdin?.write(Buffer.from(message.input, 'base64'));
  else if ('end' in message) child?.stdin?.end();
  else child?.kill(message.kill);
}

function begin(id: number, { command, env, folder }: Extract<ToAgent, { start: unknown }>['start']): void {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, cwd: folder, stdio: 'pipe', windowsHide: true });
  children.set(id, child);
  child.stdin.on('error', () => undefined);
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (bytes: Buffer) => say({ id, stream, bytes: bytes.toString('base64') }));
  }
  child.on('error', (error) => say({ id, error: error.message }));
  child.on('close', (code, signal) => {
    children.delete(id);
    say({ id, code, signal });
  });
}

function end(): void {
  for (const child of children.values()) child.kill('SIGKILL');
  process.exit();
}
