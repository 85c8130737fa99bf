import VitrineGLTF

/// The location of a layer or an image: a path in nested packages.
struct USDLocation: Hashable {
    /// The packages; empty for files beside the model file. The first is the model file itself if that is a package.
    var packages: [String] = []
    var path: String

    /// The location as text: `a.usdz[b.usdc]`.
    var text: String { packages.dropFirst(packages.first == "" ? 1 : 0).reversed().reduce(path) { "\($1)[\($0)]" } }
}

/// The layers of a stage, each read once, and the files that they refer to.
final class USDLayers {
    let file: String
    private let bytes: [UInt8]
    private let resources: ModelResources
    private(set) var warnings: [ModelWarning] = []
    /// The layers that were read; nil for those that cannot be read.
    private var documents: [USDLocation: USDDocument?] = [:]
    private var archives: [[String]: ZipArchive] = [:]
    private var archiveBytes: [[String]: [UInt8]] = [:]
    private var locations: [ObjectIdentifier: USDLocation] = [:]
    /// The number of prims and variants in all layers, as a measure of their size.
    private(set) var specCount = 0
    /// The number of bytes to which layers may still be decompressed.
    private var budget: Int

    private static let maximumLayers = 256
    private static let maximumPackages = 4

    init(_ bytes: [UInt8], file: String, resources: ModelResources) {
        (self.bytes, self.file, self.resources) = (bytes, file, resources)
        // Geometry compresses well, but not by a factor of a thousand.
        budget = 1 << 28 + 16 * min(bytes.count, 1 << 32)
    }

    /// Returns the layer of the file, or the first layer of the package.
    func root(name: String) throws(ModelFileError) -> USDDocument {
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
            let (location, layer) = try firstLayer(of: try archive([""]), bytes, packages: [""])
            return try read(layer, at: location, file: location.packages.dropFirst().reduce(file) { "\($0)[\($1)]" } + "[\(location.path)]")
        }
        return try read(bytes, at: USDLocation(path: name), file: file)
    }

    /// Returns the first file of a package; if that is a package, which USDZ does not allow, its first file.
    private func firstLayer(
        of archive: ZipArchive, _ bytes: [UInt8], packages: [String]
    ) throws(ModelFileError) -> (location: USDLocation, bytes: [UInt8]) {
        guard let first = archive.entries.first else { throw ModelFileError(file: file, reason: .malformed("the package is empty")) }
        let layer = Array(bytes[first.range])
        let location = USDLocation(packages: packages, path: first.name)
        guard layer.starts(with: [0x50, 0x4B, 0x03, 0x04]) else { return (location, layer) }
        guard packages.count < Self.maximumPackages else {
            throw ModelFileError(file: file, reason: .malformed("packages are nested more than \(Self.maximumPackages) deep"))
        }
        warn("the first file of the package is a package, which USDZ does not allow; its first layer was used", at: location.text)
        let inner = packages + [first.name]
        do throws(FileError) {
            return try firstLayer(ofPackage: layer, inner)
        } catch {
            throw ModelFileError(file: file, location: location.text, reason: .malformed(error.reason))
        }
    }

    private func firstLayer(ofPackage bytes: [UInt8], _ packages: [String]) throws(FileError) -> (location: USDLocation, bytes: [UInt8]) {
        let archive = try open(packages, bytes)
        do throws(ModelFileError) {
            return try firstLayer(of: archive, bytes, packages: packages)
        } catch {
            throw FileError(path: packages.last ?? "", reason: "\(error.reason)")
        }
    }

    func warn(_ message: String, at location: String) {
        if warnings.count < 200 { warnings.append(ModelWarning(location: location, message: message)) }
    }

    func location(of document: USDDocument) -> USDLocation {
        locations[ObjectIdentifier(document)] ?? USDLocation(path: document.location)
    }

    // MARK: Layers

    /// Returns a layer that another one refers to; nil, with a warning, if it cannot be read.
    func document(_ asset: String, from document: USDDocument) throws(ModelFileError) -> USDDocument? {
        let parent = document.location
        do throws(FileError) {
            var (location, bytes) = try find(asset, from: document)
            if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
                let packages = location.packages + [location.path]
                (location, bytes) = try firstLayer(ofPackage: bytes, packages)
            }
            if let known = documents[location] { return known }
            guard documents.count < Self.maximumLayers else {
                throw FileError(path: asset, reason: "more than \(Self.maximumLayers) layers")
            }
            let read = readOrWarn(bytes, at: location, from: parent)
            documents[location] = .some(read)
            return read
        } catch {
            warn("the layer \"\(MessageText.name(asset, limit: 200))\" was ignored: \(error.reason)", at: parent)
            return nil
        }
    }

    private func readOrWarn(_ bytes: [UInt8], at location: USDLocation, from parent: String) -> USDDocument? {
        do throws(ModelFileError) {
            return try read(bytes, at: location, file: location.text)
        } catch {
            warn(
                "the layer \"\(MessageText.name(location.text, limit: 200))\" was ignored: \(error.location.isEmpty ? "" : error.location + ": ")\(error.reason)",
                at: parent)
            return nil
        }
    }

    private func read(_ bytes: [UInt8], at location: USDLocation, file: String) throws(ModelFileError) -> USDDocument {
        let document: USDDocument
        switch ModelFormat(firstBytesOf: bytes) {
        case .usda: document = try USDTextParser.read(try TextEncoding.utf8(bytes, file: file), file: file, location: location.text)
        case .usdc:
            var crate = try CrateFile(bytes, file: file, budget: budget)
            document = try crate.document(location: location.text)
            budget = crate.budget
        case let other?: throw ModelFileError(file: file, reason: .malformed("is \(other.displayName), not a USD layer"))
        case nil: throw ModelFileError(file: file, reason: .malformed("is not a USD layer"))
        }
        documents[location] = .some(document)
        locations[ObjectIdentifier(document)] = location
        specCount += document.prims.count
        for warning in document.warnings { warn(warning.message, at: warning.location) }
        return document
    }

    // MARK: Files

    /// Returns the bytes of a file that a layer refers to.
    func file(_ asset: String, from document: USDDocument) throws(FileError) -> [UInt8] { try find(asset, from: document).bytes }

    /// Searches for a file first in the layer's folder, then in the root folder.
    private func find(_ asset: String, from document: USDDocument) throws(FileError) -> (location: USDLocation, bytes: [UInt8]) {
        let base = location(of: document)
        let near = try resolve(asset, packages: base.packages, folder: ResourcePath.folder(of: base.path))
        do throws(FileError) {
            return (near, try bytes(of: near))
        } catch {
            guard !asset.hasPrefix("."), let far = try? resolve(asset, packages: base.packages, folder: ""), far != near,
                let bytes = try? bytes(of: far)
            else { throw error }
            return (far, bytes)
        }
    }

    private func resolve(_ asset: String, packages: [String], folder: String) throws(FileError) -> USDLocation {
        guard packages.count <= Self.maximumPackages else { throw FileError(path: asset, reason: "packages are nested too deep") }
        let inner = asset.hasSuffix("]") ? asset.firstIndex(of: "[") : nil
        let outer = inner.map { String(asset[..<$0]) } ?? asset
        guard !outer.contains(":") else { throw FileError(path: asset, reason: "is a URL; only files are supported") }
        let path = ResourcePath.resolved(outer, from: folder)
        // Files in a package cannot refer to files outside.
        guard packages.isEmpty || !ResourcePath.leadsOutside(path) else {
            throw FileError(path: asset, reason: "the files of a package must be inside it")
        }
        guard let inner else { return USDLocation(packages: packages, path: path) }
        let rest = String(asset[asset.index(after: inner)...].dropLast())
        return try resolve(rest, packages: packages + [path], folder: "")
    }

    private func bytes(of location: USDLocation) throws(FileError) -> [UInt8] {
        guard !location.packages.isEmpty else { return try resources.bytes(location.path) }
        do throws(ModelFileError) {
            let archive = try archive(location.packages)
            guard let entry = archive.entries.first(where: { $0.name == location.path }) else {
                throw ModelFileError(file: location.path, reason: .file("is not in the package"))
            }
            return Array((archiveBytes[location.packages] ?? [])[entry.range])
        } catch {
            throw FileError(path: location.path, reason: "\(error.reason)")
        }
    }

    private func open(_ packages: [String], _ bytes: [UInt8]) throws(FileError) -> ZipArchive {
        if let known = archives[packages] { return known }
        guard archives.count < 64 else { throw FileError(path: packages.last ?? "", reason: "more than 64 packages") }
        do throws(ModelFileError) {
            let archive = try ZipArchive(bytes, file: packages.last ?? "")
            (archives[packages], archiveBytes[packages]) = (archive, bytes)
            return archive
        } catch {
            throw FileError(path: packages.last ?? "", reason: "\(error.reason)")
        }
    }

    private func archive(_ packages: [String]) throws(ModelFileError) -> ZipArchive {
        if let known = archives[packages] { return known }
        if packages == [""] {
            let archive = try ZipArchive(bytes, file: file)
            (archives[packages], archiveBytes[packages]) = (archive, bytes)
            return archive
        }
        do throws(FileError) {
            let outer = USDLocation(packages: Array(packages.dropLast()), path: packages.last ?? "")
            return try open(packages, try self.bytes(of: outer))
        } catch {
            throw ModelFileError(file: error.path, reason: .file(error.reason))
        }
    }
}
