import Vitrine
import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The environment of a page as a file that browsers can decode: Radiance HDR, PNG, JPEG or WebP.
enum WebEnvironment {
    /// Reads an image file or a folder with the faces of a cube map. Files in a format of the web keep their bytes.
    static func file(contentsOf path: String) throws -> WebFile {
        let url = URL(fileURLWithPath: path)
        let image = try Image.environment(contentsOf: url)
        if let bytes = try? FileBytes.read(url), let kind = ImageFile.kind(of: bytes) {
            switch kind {
            case .hdr: return WebFile(name: "environment.hdr", bytes: bytes)
            case .png: return WebFile(name: "environment.png", bytes: bytes)
            case .jpeg: return WebFile(name: "environment.jpg", bytes: bytes)
            case .webp: return WebFile(name: "environment.webp", bytes: bytes)
            case .heif, .exr, .ktx2, .tga: break
            }
        }
        return try file(image)
    }

    static func file(_ image: Image) throws -> WebFile {
        guard image.format == .rgba32Float else {
            return WebFile(name: "environment.png", bytes: try ImageFile.encode(image, as: .png()))
        }
        return WebFile(name: "environment.hdr", bytes: try ImageFile.encode(try storable(image), as: .hdr))
    }

    /// The image without alpha and without values that HDR files cannot store.
    private static func storable(_ image: Image) throws -> Image {
        var values = image.bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        for index in values.indices {
            if index % 4 == 3 {
                values[index] = 1
            } else {
                values[index] = values[index].isNaN ? 0 : min(max(values[index], 0), 65_504)
            }
        }
        let bytes = values.withUnsafeBytes { Array($0) }
        return try Image(width: image.width, height: image.height, format: .rgba32Float, bytes: bytes, name: image.name)
    }
}
