/// A `.zae`: a zip archive whose `manifest.xml` contains the path of the document (COLLADA 1.5, "Compressed data"); without one, the first document in
/// the archive is used.
struct COLLADAPackage {
    let archive: ZipArchive
    let file: String
    /// The largest total size of the decompressed files.
    private static let budget = 1 << 31

    init(_ bytes: [UInt8], file: String) throws(ModelFileError) {
        archive = try ZipArchive(bytes, file: file, allowsDeflate: true, budget: Self.budget)
        self.file = file
    }

    /// Returns the name of the document in the archive.
    func documentName() throws(ModelFileError) -> String {
        if let manifest = archive.entries.first(where: { Self.isManifest($0.name) }) {
            let tree = try XMLTree.parse(try archive.bytes(of: manifest), file: manifest.name)
            if let root = tree.root.name == "dae_root" ? tree.root : tree.root.firstDescendant("dae_root") {
                let folder = manifest.name.split(separator: "/").dropLast().map { $0 + "/" }.joined()
                let uri = root.text.split(separator: "#").first.map(String.init) ?? ""
                if let path = COLLADAFiles.path(uri, folder: folder), archive.entries.contains(where: { $0.name == path }) { return path }
            }
        }
        guard let entry = archive.entries.first(where: { $0.name.lowercased().hasSuffix(".dae") }) else {
            throw ModelFileError(file: file, reason: .malformed("there is no COLLADA document in the archive"))
        }
        return entry.name
    }

    private static func isManifest(_ name: String) -> Bool { name.lowercased() == "manifest.xml" }

    /// Returns the files of the archive, by paths relative to the document's folder.
    func resources(besides document: String) -> ModelResources {
        let folder = document.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        return ModelResources { [archive] (path) throws(FileError) in
            let names = [folder + path, path]
            guard let entry = archive.entries.first(where: { names.contains($0.name) }) else {
                throw FileError(path: path, reason: "is not in the archive")
            }
            do throws(ModelFileError) {
                return try archive.bytes(of: entry)
            } catch {
                throw FileError(path: path, reason: "\(error.reason)")
            }
        }
    }
}
