export { FolderHost, type Seen } from '../../dataset/dist/test/folder-host.js';
