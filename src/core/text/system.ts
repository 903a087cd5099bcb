/** What a person types, and how paths are written, is different on Windows. */
export const isWindows = process.platform === 'win32';

/** A path below a folder, with one kind of separator: the system's, or the folder's own where that is another. */
export function below(folder: string, name: string, windows = isWindows): string {
  const separator = windows && !/^[^\\]*\/[^\\]*$/.test(folder) ? '\\' : '/';
  const end = windows ? /[\\/]+$/ : /\/+$/;
  return `${folder.replace(end, '')}${separator}${name}`;
}

/** Is it a path of Windows with a drive or a server? `\folder` is on whatever drive one works on. */
export function isWholePath(path: string): boolean {
  return /^(?:[A-Za-z]:[\\/]|[\\/]{2}[^\\/])/.test(path);
}

/**
 * `text` for the inside of quotes in a batch file. cmd.exe reads such a file by the code page of its console, in which the
 * letters of a person's name are others: the home folder is left to its variable.
 */
export function batchText(text: string, homedir: string): string {
  const isBelow = !isAscii(homedir) && text.toLowerCase().startsWith(`${homedir.toLowerCase()}\\`);
  const rest = isBelow ? text.slice(homedir.length) : text;
  const doubled = rest
    .replaceAll(/(\\*)"/g, '$1$1""')
    .replace(/\\+$/, '$&$&')
    .replaceAll('%', '%%');
  return `${isBelow ? '%USERPROFILE%' : ''}${doubled}`;
}

/** What a batch file begins with where a line of it has other letters all the same. */
export const utf8Line = '@chcp 65001 >nul';

/** The lines of a batch file, as cmd.exe reads them. */
export function batchFile(lines: readonly string[]): string {
  const [first = '', second = '', ...rest] = lines;
  return [first, second, ...(lines.every(isAscii) ? [] : [utf8Line]), ...rest, ''].join('\r\n');
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
