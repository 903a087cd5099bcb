import type { WriteStream } from 'node:tty';
import type { Progress } from '../../core/ports.js';
import { printable } from '../../core/text/printable.js';

/** Shorter steps are not shown, and the package is not loaded for them. */
const showAfterMs = 150;

/** The spinner; `hide` removes it during a question. */
export interface Spinner extends Progress {
  hide(): Disposable;
}

/** For a stderr that is no terminal, and for `--quiet`. */
export function createSilence(): Spinner {
  return { begin: () => undefined, end: () => undefined, hide: () => ({ [Symbol.dispose]: () => undefined }) };
}

/** A spinner on a terminal. Lines written beside it are kept whole by ora. */
export function createSpinner(terminal: WriteStream, colour: boolean): Spinner {
  let text: string | undefined;
  let hidden = 0;
  let timer: NodeJS.Timeout | undefined;
  let shown: { text: string; stop(): unknown } | undefined;

  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    shown?.stop();
    shown = undefined;
  };
  const show = async () => {
    if (hasNoWidth(terminal)) return;
    const { default: ora } = await import('ora');
    if (text === undefined || hidden > 0 || shown !== undefined || hasNoWidth(terminal)) return;
    // Neither the cursor nor stdin is touched: whatever ends the program, the terminal is as it was.
    const options = { stream: terminal, discardStdin: false, hideCursor: false, isEnabled: true };
    shown = ora({ ...options, text, color: colour ? 'cyan' : false }).start();
  };
  const later = () => {
    if (text !== undefined && hidden === 0 && shown === undefined && timer === undefined) {
      timer = setTimeout(() => void show().catch(() => undefined), showAfterMs);
      timer.unref();
    }
  };
  return {
    begin: (what) => {
      text = printable(what, 76);
      if (shown !== undefined) shown.text = text;
      later();
    },
    end: () => {
      text = undefined;
      stop();
    },
    hide: () => {
      hidden += 1;
      stop();
      return {
        [Symbol.dispose]: () => {
          hidden -= 1;
          later();
        },
      };
    },
  };
}

/** Some terminals report 0 columns: ora would clear lines without end. */
function hasNoWidth({ columns }: WriteStream): boolean {
  return !(columns > 0);
}
