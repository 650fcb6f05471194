import { type DroppedFile, MOST_FILES } from "./drop-import.ts";

/** Returns the files of a drop, including those in dropped folders. */
export async function filesIn({ items, files }: DataTransfer): Promise<readonly DroppedFile[]> {
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((one) => one !== null);
  if (entries.length === 0) return [...files].map((file) => ({ path: file.name, file }));
  const found: DroppedFile[] = [];
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    if (found.length > MOST_FILES) break;
    if (isFolder(entry)) waiting.push(...await childrenOf(entry));
    else if (isFile(entry)) {
      found.push({ path: entry.fullPath.slice(1), file: await fileOf(entry) });
    }
  }
  return found;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A browser lists entries a hundred at a time; an empty list is the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<readonly FileSystemEntry[]> {
  const reader = folder.createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    );
    found.push(...some.filter(({ name }) => !name.startsWith(".")));
    if (some.length === 0 || found.length > MOST_FILES) return found;
  }
}
