import VitrineMath
import VitrineScene

/// Writes a scene as one binary STL, in the scene's frame: only triangles and the normals of their planes.
struct STLWriter {
    static func write(_ contents: SceneContents, options: ModelWriteOptions, name: String) throws(ModelFileError) -> EncodedModel {
        var warnings = contents.warnings + contents.losses(.all)
        if !contents.materials.isEmpty { warnings.append(ModelWarning(message: "\(contents.materials.count) materials: not written")) }
        let parts = WorldPart.all(of: contents)
        let others = parts.count { $0.triangles.isEmpty }
        if others > 0 { warnings.append(ModelWarning(message: "\(others) parts of lines or points: not written")) }
        if parts.contains(where: { $0.geometry.attribute(.textureCoordinate(set: 0)) != nil }) {
            warnings.append(ModelWarning(message: "texture coordinates: not written"))
        }
        let count = parts.reduce(0) { $0 + $1.triangles.count / 3 }
        guard let number = UInt32(exactly: count) else { throw contents.failure("\(count) triangles exceed the limit of an STL") }
        var file = ByteWriter(capacity: 84 + 50 * count)
        // Not "solid …", with which text files begin.
        let title = Array("binary STL by \(options.signature), metres".utf8.prefix(80))
        file.append(title + Array(repeating: 0x20, count: 80 - title.count))
        file.append(number)
        for part in parts {
            for first in stride(from: 0, to: part.triangles.count, by: 3) {
                let corners = (0..<3).map { corner -> Vector3 in
                    let offset = Int(part.triangles[first + corner]) * 3
                    return Vector3(part.positions[offset], part.positions[offset + 1], part.positions[offset + 2])
                }
                let normal = normalize(cross(corners[1] - corners[0], corners[2] - corners[0]))
                for vector in [normal] + corners { for axis in 0..<3 { file.append(vector[axis]) } }
                file.append(UInt16(0))
            }
        }
        return EncodedModel(files: [.init(name: name, bytes: file.bytes)], warnings: warnings)
    }
}
