import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Image {
    /// Reads an image file. The image's name is the file's last path component.
    ///
    /// - Throws: `ImageFileError`, with the path.
    public convenience init(contentsOf url: URL, limits: ImageLimits = ImageLimits()) throws(ImageFileError) {
        let decoded = try Image.decode(contentsOf: url, limits: limits)
        do throws(ImageError) {
            try self.init(
                width: decoded.width, height: decoded.height, format: decoded.format, bytes: decoded.bytes, name: url.lastPathComponent)
        } catch {
            throw ImageFileError(file: url.path, reason: .malformed("an image of \(decoded.width) × \(decoded.height) pixels"))
        }
    }

    private static func decode(contentsOf url: URL, limits: ImageLimits) throws(ImageFileError) -> Image {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: limits.maximumFileBytes)
        } catch {
            throw ImageFileError(file: error.path, reason: .file(error.reason))
        }
        return try ImageFile.decode(bytes, name: url.path, limits: limits)
    }

    /// Writes the image to a file, atomically.
    ///
    /// - Parameter encoding: The format; by default that of the extension, or PNG for a device or a named pipe.
    /// - Throws: `ImageFileError` if the extension has no supported format, the format cannot store the image, or the file cannot be written.
    public func write(to url: URL, encoding: ImageFile.Encoding? = nil) throws(ImageFileError) {
        let isStream = AtomicFile.isStream(path: url.path)
        guard let encoding = encoding ?? ImageFile.encoding(forExtension: url.pathExtension) ?? (isStream ? .png() : nil) else {
            throw ImageFileError(
                file: url.path, reason: .unsupported("the extension \"\(url.pathExtension)\" has no image format that can be written"))
        }
        let bytes: [UInt8]
        do throws(ImageFileError) {
            bytes = try ImageFile.encode(self, as: encoding)
        } catch {
            throw ImageFileError(file: url.path, reason: error.reason)
        }
        do throws(FileError) {
            try AtomicFile.write(bytes, to: url)
        } catch {
            throw ImageFileError(file: error.path, reason: .file(error.reason))
        }
    }
}
