import VitrineGLTF

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folders that may contain the files of a model: that of the model, and those that the user allows.
///
/// The real path of a file counts, with all symbolic links resolved: a link in the model's folder does not give access to a file elsewhere. The
/// opened file is checked again by its descriptor, so that exchanging a link between check and opening has no effect. Hard links are
/// indistinguishable from files.
struct FolderAccess {
    /// The model's folder as given by the caller, absolute.
    private let folder: String
    /// The real paths; the model's folder first.
    private let allowed: [String]

    /// Resolves the folders from which files may be read.
    ///
    /// - Throws: `FileError` if an allowed folder does not exist or is not a folder. A missing model folder is not an error here: the model itself is read first.
    init(folder: URL, allowed: [URL]) throws(ModelFileError) {
        self.folder = ResourcePath.resolved(folder.path, from: FileManager.default.currentDirectoryPath)
        var roots = [Self.realPath(self.folder) ?? self.folder]
        for url in allowed {
            guard let path = Self.realPath(url.path) else {
                throw ModelFileError(file: url.path, reason: .file(FileError.system("").reason))
            }
            var status = stat()
            guard SystemPath.with(path, { stat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFDIR else {
                throw ModelFileError(file: url.path, reason: .file("is not a directory and cannot be allowed"))
            }
            roots.append(path)
        }
        self.allowed = roots
    }

    /// Reads a file.
    ///
    /// - Parameter path: A path relative to the model's folder, or an absolute one.
    func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let full = ResourcePath.resolved(path, from: folder)
        guard let real = Self.realPath(full) else {
            let missing = FileError.system(path)
            // Does not reveal whether a file outside exists.
            guard isAllowed(full) || Self.contains(full, in: folder) else { throw outside(path, Self.parent(of: full)) }
            throw missing
        }
        guard isAllowed(real) else { throw outside(path, Self.parent(of: real)) }
        let bytes = try FileBytes.read(real, limit: limit) { descriptor throws(FileError) in
            guard let opened = Self.path(of: descriptor), !isAllowed(opened) else { return }
            throw outside(path, Self.parent(of: opened))
        }
        return bytes
    }

    private func isAllowed(_ path: String) -> Bool { allowed.contains { Self.contains(path, in: $0) } }

    private static func contains(_ path: String, in folder: String) -> Bool {
        // Compared by bytes: strings that are equal in Unicode may be the names of two folders.
        path.utf8.elementsEqual(folder.utf8) || path.utf8.starts(with: (folder.hasSuffix("/") ? folder : folder + "/").utf8)
    }

    private static func parent(of path: String) -> String {
        let folder = ResourcePath.folder(of: path)
        return folder.count > 1 ? String(folder.dropLast()) : folder
    }

    private func outside(_ path: String, _ parent: String) -> FileError {
        FileError(
            path: path,
            reason: "lies in \"\(parent.prefix(400))\", outside the model's folder; to read it, allow that folder: --allow-folder DIR "
                + "(ModelLoadOptions.allowedFolders)")
    }

    /// Returns the path with all links resolved; nil, with `errno` set, if there is no such file.
    private static func realPath(_ path: String) -> String? {
        guard !path.utf8.contains(0) else {
            errno = ENOENT
            return nil
        }
        return SystemPath.resolvingLinks(path)
    }

    /// Returns the path of an open file; nil if the system does not provide it.
    private static func path(of descriptor: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        #if canImport(Darwin)
            guard fcntl(descriptor, F_GETPATH, &buffer) == 0 else { return nil }
            let count = buffer.firstIndex(of: 0) ?? buffer.count
        #else
            let count = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count - 1)
            guard count > 0 else { return nil }
        #endif
        return FileNameText.text(buffer[..<count])
    }
}
