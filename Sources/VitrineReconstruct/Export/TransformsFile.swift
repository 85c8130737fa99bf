import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The file's own names.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// `transforms.json`, as programs for radiance fields and splats (instant-ngp, Nerfstudio) read it: camera to world, the camera looking along
/// −Z with +Y up. The world's frame and unit are the model's (+Y up).
///
/// Each frame has intrinsics; if all photos share one lens, they are at the top level as well, for older programs.
package struct TransformsFile: Codable, Equatable, Sendable {
    package struct Frame: Codable, Equatable, Sendable {
        package var file_path: String
        /// Four rows.
        package var transform_matrix: [[Double]]
        package var w, h: Double?
        package var fl_x, fl_y, cx, cy: Double?
        package var k1, k2, k3, k4, p1, p2: Double?
        package var camera_angle_x, camera_angle_y: Double?
    }

    package var camera_model: String?
    package var w, h: Double?
    package var fl_x, fl_y, cx, cy: Double?
    package var k1, k2, k3, k4, p1, p2: Double?
    package var camera_angle_x, camera_angle_y: Double?
    package var frames: [Frame]

    /// - Parameter names: One a photo.
    package init(_ model: SparseModel, names: [String]) {
        camera_model = model.cameras.contains { $0?.intrinsics.distortion.isFisheye ?? false } ? "OPENCV_FISHEYE" : "OPENCV"
        frames = model.registered.map { Frame(name: names[$0], camera: model.cameras[$0]!) }
        guard let first = frames.first, frames.allSatisfy({ $0.hasIntrinsics(of: first) }) else { return }
        (w, h, fl_x, fl_y, cx, cy) = (first.w, first.h, first.fl_x, first.fl_y, first.cx, first.cy)
        (k1, k2, k3, k4, p1, p2) = (first.k1, first.k2, first.k3, first.k4, first.p1, first.p2)
        (camera_angle_x, camera_angle_y) = (first.camera_angle_x, first.camera_angle_y)
    }

    /// Indented, keys sorted.
    package func json() throws(CameraFileError) -> [UInt8] { try CameraJSON.encode(self) }

    /// Writes it, atomically.
    package func write(to url: URL) throws(CameraFileError) { try CameraJSON.write(try json(), to: url) }
}

extension TransformsFile.Frame {
    init(name: String, camera: PosedCamera) {
        let pose = CameraAxes.worldFromPublicCamera(camera.cameraFromWorld)
        let (r, t) = (pose.rotation, pose.translation)
        let rows = (0..<3).map { [r.x[$0], r.y[$0], r.z[$0], t[$0]] } + [[0, 0, 0, 1]]
        self.init(file_path: name, transform_matrix: rows)
        let lens = camera.intrinsics
        (w, h) = (Double(lens.width), Double(lens.height))
        (fl_x, fl_y, cx, cy) = (lens.focal.x, lens.focal.y, lens.center.x, lens.center.y)
        switch lens.distortion {
        case .brownConrady(let k, let p): (k1, k2, k3, p1, p2) = (k.x, k.y, k.z, p.x, p.y)
        case .kannalaBrandt(let k): (k1, k2, k3, k4) = (k.x, k.y, k.z, k.w)
        }
        camera_angle_x = 2 * atan2(Double(lens.width) / 2, lens.focal.x)
        camera_angle_y = 2 * atan2(Double(lens.height) / 2, lens.focal.y)
    }

    fileprivate func hasIntrinsics(of other: Self) -> Bool {
        func numbers(_ frame: Self) -> [Double?] {
            [frame.w, frame.h, frame.fl_x, frame.fl_y, frame.cx, frame.cy, frame.k1, frame.k2, frame.k3, frame.k4, frame.p1, frame.p2]
        }
        return numbers(self) == numbers(other)
    }
}
