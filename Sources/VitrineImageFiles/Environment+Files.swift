import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Image {
    /// Reads an environment: an image in one of the layouts of `EnvironmentLayout`, or a folder with the six faces of a cube.
    ///
    /// Faces are named px, nx, py, ny, pz, nz (or posx, negx, …) with the extension of an image format.
    ///
    /// - Throws: `ImageFileError`, also for an aspect ratio that no layout has.
    public static func environment(contentsOf url: URL, limits: ImageLimits = ImageLimits()) throws(ImageFileError) -> Image {
        if let faces = try cubeFaces(in: url) { return try cube(faces, name: url.path, limits: limits) }
        let image = try Image(contentsOf: url, limits: limits)
        guard EnvironmentLayout(width: image.width, height: image.height) != nil else {
            throw ImageFileError(
                file: url.path,
                reason: .unsupported(
                    "\(image.width) × \(image.height) pixels: an environment is 2:1 (all around), or a cube as 6:1, 1:6, 4:3 or 3:4"))
        }
        return image
    }

    /// Reads six faces of equal size: +X, −X, +Y, −Y, +Z, −Z.
    public static func cube(_ faces: [URL], name: String, limits: ImageLimits = ImageLimits()) throws(ImageFileError) -> Image {
        var images: [Image] = []
        for face in faces { images.append(try Image(contentsOf: face, limits: limits)) }
        do throws(ImageError) {
            return try Image(cubeFaces: images, name: name)
        } catch {
            throw ImageFileError(file: name, reason: .unsupported(error.description))
        }
    }

    /// Returns the faces in a folder; nil if the URL is not a folder.
    private static func cubeFaces(in folder: URL) throws(ImageFileError) -> [URL]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else { return nil }
        let sorted = names.sorted()
        var faces: [URL] = []
        for face in ["px", "nx", "py", "ny", "pz", "nz"] {
            let stems = [face, (face.hasPrefix("p") ? "pos" : "neg") + face.dropFirst()]
            let found = sorted.first { name in
                guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return false }
                return stems.contains(name[..<dot].lowercased())
            }
            guard let found else {
                throw ImageFileError(file: folder.path, reason: .unsupported("the folder has no image named \(face), which a cube needs"))
            }
            faces.append(folder.appendingPathComponent(found))
        }
        return faces
    }
}

extension Environment {
    /// Creates an environment from an image file, equirectangular or with a cube in one image, or from a folder with a cube's six faces.
    ///
    /// ```swift
    /// scene.environment = try Environment(contentsOf: URL(fileURLWithPath: "hall.hdr"))
    /// scene.environment.rotation = .degrees(30)
    /// ```
    /// - Throws: `ImageFileError`.
    public convenience init(contentsOf url: URL) throws(ImageFileError) { self.init(image: try Image.environment(contentsOf: url)) }
}
