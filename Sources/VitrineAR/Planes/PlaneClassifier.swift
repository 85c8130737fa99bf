import VitrineMath

/// Classifies planes by height and size; `PlaneDetector.Settings` has the thresholds.
struct PlaneClassifier {
    let settings: PlaneDetector.Settings
    /// The camera's usual height in the world.
    let cameraHeight: Double

    /// The classification of each plane.
    func classify(_ planes: [DetectedPlane]) -> [ARPlaneAnchor.Classification] {
        func height(_ i: Int) -> Double { planes[i].worldCenter.y }
        let horizontal = planes.indices.filter { planes[$0].alignment == .horizontal }
        let floor = horizontal.filter {
            planes[$0].normal.y > 0 && planes[$0].area >= settings.floorArea && cameraHeight - height($0) >= settings.floorBelowCamera
        }.min { (height($0), $0) < (height($1), $1) }
        let ceiling = horizontal.filter { planes[$0].normal.y < 0 && height($0) - cameraHeight >= settings.ceilingAboveCamera }
            .max { (height($0), $0) < (height($1), $1) }
        return planes.indices.map { i in
            classification(planes[i], isFloor: i == floor, floorHeight: floor.map(height), ceilingHeight: ceiling.map(height))
        }
    }

    private func classification(
        _ plane: DetectedPlane, isFloor: Bool, floorHeight: Double?, ceilingHeight: Double?
    ) -> ARPlaneAnchor.Classification {
        let height = plane.worldCenter.y
        guard plane.alignment == .horizontal else { return plane.area >= settings.wallArea ? .wall : .none }
        if plane.normal.y < 0 { return ceilingHeight.map { $0 - height < 0.1 } == true ? .ceiling : .none }
        guard let floorHeight else { return .none }
        let above = height - floorHeight
        // Also pieces of the floor that are not merged yet.
        if isFloor || abs(above) < 0.05 { return .floor }
        if settings.seatHeights.contains(above), plane.area <= settings.seatArea { return .seat }
        return settings.tableHeights.contains(above) ? .table : .none
    }
}
