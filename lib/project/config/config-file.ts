/** The file that makes a folder a project. */
export const CONFIG_FILE = "project.config.json";
