import VitrineMath

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes point clouds as PLY files (binary, little endian), which MeshLab, CloudCompare and Open3D read.
package enum PointCloudFile {
    /// Writes a cloud, atomically.
    ///
    /// - Parameters:
    ///   - positions: The positions in metres.
    ///   - normals: One per point, or none.
    ///   - colors: sRGB-encoded red, green, blue; alpha is not written. One per point, or none.
    ///   - generator: The name of the program, for the comment in the file.
    /// - Throws: `ModelFileError` for numbers that are not finite, lists of different lengths, and a file that cannot be written.
    package static func write(
        positions: [Vector3], normals: [Vector3] = [], colors: [SIMD4<UInt8>] = [], to url: URL, generator: String = "Vitrine"
    ) throws(ModelFileError) {
        let bytes = try encode(positions: positions, normals: normals, colors: colors, generator: generator, file: url.path)
        do throws(FileError) {
            try AtomicFile.write(bytes, to: url)
        } catch {
            throw ModelFileError(file: error.path, reason: .file(error.reason))
        }
    }

    /// Returns the bytes of a point cloud file.
    package static func encode(
        positions: [Vector3], normals: [Vector3] = [], colors: [SIMD4<UInt8>] = [], generator: String = "Vitrine", file: String = ""
    ) throws(ModelFileError) -> [UInt8] {
        let count = positions.count
        guard normals.isEmpty || normals.count == count, colors.isEmpty || colors.count == count else {
            let counts = "\(count) points, \(normals.count) normals, \(colors.count) colours"
            throw ModelFileError(file: file, reason: .notWritable(counts))
        }
        for (name, vectors) in [("point", positions), ("normal", normals)] {
            guard let bad = vectors.firstIndex(where: { !($0.x.isFinite && $0.y.isFinite && $0.z.isFinite) }) else { continue }
            throw ModelFileError(file: file, location: "\(name) \(bad)", reason: .notWritable("is not finite"))
        }
        let header = PLYHeader(
            generator: generator, vertices: count, hasNormals: !normals.isEmpty, hasColors: !colors.isEmpty, triangles: nil)
        var file = ByteWriter(capacity: 512 + count * 27)
        file.append(header.utf8)
        for point in 0..<count {
            for axis in 0..<3 { file.append(positions[point][axis]) }
            if !normals.isEmpty { for axis in 0..<3 { file.append(normals[point][axis]) } }
            if !colors.isEmpty { file.append([colors[point].x, colors[point].y, colors[point].z]) }
        }
        return file.bytes
    }
}
