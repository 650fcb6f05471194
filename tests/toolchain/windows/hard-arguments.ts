/** Arguments that shells and shims are known to break (facts: measured with a real Windows Node). */
export const HARD_ARGUMENTS = [
  "plain",
  "",
  " ",
  "two words",
  "tab\there",
  "a&b",
  "a|b",
  "a<b>c",
  "(a)",
  "^",
  "a^b^^c",
  "!x!",
  "a,b;c=d",
  "*.js",
  '"',
  'a"b c"d',
  '""',
  "C:\\path\\",
  "C:\\two words\\",
  'back\\"slash\\\\"',
  "ü 漢 😀",
  "%PATH%",
  "100% %~1 %*",
  "two\nlines",
] as const;

/** Arguments that would leave a file called `injected`, were they ever run. */
export const INJECTIONS = [
  'a"&echo x>injected&"',
  '" & echo x>injected & "',
  'a" | echo x>injected & rem "',
  "&echo x>injected",
  "^&echo x>injected",
  "%CMDCMDLINE:~-1%&echo x>injected",
  "a\r\necho x>injected",
  '\\"&echo x>injected&\\"',
] as const;
