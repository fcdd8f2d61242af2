// folder.h - Folders that files are written into.
#ifndef BERTH_IO_FOLDER_H_
#define BERTH_IO_FOLDER_H_

// Makes the folders that |path| lies in, and |path| itself where it ends in a
// slash; it is changed meanwhile. Those that are there do not matter. Returns
// 0, or an errno with |path| cut off behind the folder that could not be made.
int berth_folders_make(char *path);

#endif  // BERTH_IO_FOLDER_H_
