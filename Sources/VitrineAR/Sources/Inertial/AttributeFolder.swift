#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A sysfs folder whose files are attributes of a device.
struct AttributeFolder: Sendable {
    let path: String

    /// Reads an attribute without surrounding whitespace.
    ///
    /// - Throws: `SourceError.broken` with file, reason and remedy.
    func text(_ name: String) throws(SourceError) -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(file, errno) }
        defer { close(descriptor) }
        // At most one page.
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw Self.error(file, errno) }
        let text = bytes[0..<count].drop { $0 <= 0x20 }
        let end = text.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? text.startIndex
        return String(decoding: text[text.startIndex..<end], as: UTF8.self)
    }

    /// Reads an attribute; nil if it is missing or unreadable.
    func optional(_ name: String) -> String? { try? text(name) }

    func exists(_ name: String) -> Bool { access(path + "/" + name, F_OK) == 0 }

    /// Reads a number.
    func number(_ name: String) throws(SourceError) -> Double {
        let text = try text(name)
        guard let value = NumberText.double(Array(text.utf8)[...]), value.isFinite else {
            throw .broken("\(path)/\(name): '\(text.prefix(40))' is not a number")
        }
        return value
    }

    func write(_ value: String, to name: String) throws(SourceError) {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.error(file, errno) }
        defer { close(descriptor) }
        let bytes = Array(value.utf8)
        guard systemWrite(descriptor, bytes, bytes.count) == bytes.count else { throw Self.error(file, errno) }
    }

    /// The sorted names of the files.
    var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    static func busy(_ file: String) -> SourceError { error(file, EBUSY) }

    static func error(_ file: String, _ code: Int32) -> SourceError {
        let reason = String(cString: strerror(code)).lowercased()
        switch code {
        case EACCES, EPERM, EROFS:
            return .broken("\(file): \(reason): run as root, or add a udev rule that permits it (docs/guide/record.md has one)")
        case EBUSY:
            return .broken(
                "\(file): \(reason): another program reads this sensor, often iio-sensor-proxy: sudo systemctl stop iio-sensor-proxy")
        default: return .broken("\(file): \(reason)")
        }
    }
}

/// The system's `write`, which `AttributeFolder.write` would hide.
private func systemWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int { write(descriptor, from, count) }
