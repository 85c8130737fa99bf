import Vitrine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The camera of a photo from a list of cameras, to render a model from the viewpoint of the photo.
struct PhotoCamera {
    let view: View
    /// Properties of the lens that the renderer does not support.
    let warnings: [String]

    /// - Parameters:
    ///   - file: `cameras.json` (x ~ K(RX + t), x right, y down, z forward) or `transforms.json` (−Z forward).
    ///   - name: The photo's file name, with or without its folder and extension.
    init(named name: String, in file: String) throws {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch { throw CommandError(file: file, reason: "cannot be read") }
        let list: CameraList
        do { list = try JSONDecoder().decode(CameraList.self, from: data) } catch {
            throw CommandError(file: file, reason: "is not cameras.json (K, R, t for each image) or transforms.json")
        }
        let entries = (list.cameras ?? []).map { $0.entry } + (list.frames ?? []).map { $0.entry(in: list) }
        guard let entry = entries.first(where: { PhotoCamera.matches($0.image, name) }) else {
            let some = entries.prefix(3).map(\.image).joined(separator: ", ")
            throw CommandError(
                file: file,
                reason: "has no photo '\(name)': "
                    + (some.isEmpty ? "the file is empty" : "use one of " + some + (entries.count > 3 ? " …" : "")))
        }
        guard let lens = entry.lens, let axes = entry.axes, let eye = entry.eye else {
            throw CommandError(file: file, reason: "'\(entry.image)' has no size, intrinsics or pose")
        }
        let fieldOfView = Angle(radians: 2 * VitrineMath.atan2(Float(lens.height) / 2, Float(lens.focal)))
        let linear = Matrix3(axes.0, axes.1, axes.2)
        guard fieldOfView.radians > 0.001, abs(linear.determinant - 1) < 0.01, eye.isFinite else {
            throw CommandError(
                file: file, reason: "'\(entry.image)' has an invalid pose or field of view")
        }
        view = View(
            camera: Camera(projection: .perspective(fieldOfView: fieldOfView), near: 0.001),
            worldFromCamera: Matrix4(linear, translation: eye))
        let off = max(abs(lens.center.x / lens.width - 0.5), abs(lens.center.y / lens.height - 0.5))
        warnings =
            off > 0.01
            ? ["the principal point of the photo is \(Int((off * 100).rounded())) % off its centre; the rendered image uses the centre"]
            : []
    }

    private static func matches(_ image: String, _ name: String) -> Bool {
        let last = image.lastPathComponent
        return image == name || last == name || last.deletingPathExtension == name
    }
}

// Names of the file format.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The content of both formats. Missing values are errors only if they are used.
private struct CameraList: Decodable {
    var cameras: [VisionCamera]?
    var frames: [Frame]?
    var w, h, fl_x, fl_y, cx, cy: Double?
}

private struct PhotoEntry {
    var image: String
    var lens: (width: Double, height: Double, focal: Double, center: SIMD2<Double>)?
    /// Right, up, back. World frame.
    var axes: (Vector3, Vector3, Vector3)?
    var eye: Vector3?
}

// Names of the file format.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct VisionCamera: Decodable {
    var image: String
    var width, height: Double?
    var K, R: [[Double]]?
    var t: [Double]?

    var entry: PhotoEntry {
        var entry = PhotoEntry(image: image)
        if let width, let height, let K, K.count == 3, K.allSatisfy({ $0.count == 3 }) {
            entry.lens = (width, height, K[1][1], SIMD2(K[0][2], K[1][2]))
        }
        if let R, let t, R.count == 3, R.allSatisfy({ $0.count == 3 }), t.count == 3 {
            let rows = R.map { Vector3(Float($0[0]), Float($0[1]), Float($0[2])) }
            entry.axes = (rows[0], -rows[1], -rows[2])
            entry.eye = -(rows[0] * Float(t[0]) + rows[1] * Float(t[1]) + rows[2] * Float(t[2]))
        }
        return entry
    }
}

// Names of the file format.
// swift-format-ignore: AlwaysUseLowerCamelCase
private struct Frame: Decodable {
    var file_path: String
    var transform_matrix: [[Double]]?
    var w, h, fl_x, fl_y, cx, cy: Double?

    func entry(in list: CameraList) -> PhotoEntry {
        var entry = PhotoEntry(image: file_path)
        if let width = w ?? list.w, let height = h ?? list.h, let focal = fl_y ?? list.fl_y ?? fl_x ?? list.fl_x {
            entry.lens = (width, height, focal, SIMD2(cx ?? list.cx ?? width / 2, cy ?? list.cy ?? height / 2))
        }
        if let m = transform_matrix, m.count >= 3, m.allSatisfy({ $0.count == 4 }) {
            func column(_ k: Int) -> Vector3 { Vector3(Float(m[0][k]), Float(m[1][k]), Float(m[2][k])) }
            entry.axes = (column(0), column(1), column(2))
            entry.eye = column(3)
        }
        return entry
    }
}
