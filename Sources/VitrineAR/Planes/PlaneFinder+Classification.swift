import VitrineMath

extension PlaneFinder {
    /// Names planes by height and size alone; `Settings` has the numbers.
    mutating func classify() {
        let levels = evidence.indices.filter { evidence[$0].plane.alignment == .horizontal }
        let up = levels.filter { evidence[$0].plane.normal.y > 0 }
        let floor = up.filter { evidence[$0].plane.area >= settings.floorArea && usualHeight - height($0) >= settings.floorBelowCamera }
            .min { (height($0), $0) < (height($1), $1) }
        let ceiling = levels.filter { evidence[$0].plane.normal.y < 0 && height($0) - usualHeight >= settings.ceilingAboveCamera }
            .max { (height($0), $0) < (height($1), $1) }
        for i in evidence.indices {
            let name = name(i, floor: floor, ceiling: ceiling)
            if evidence[i].plane.classification != name {
                evidence[i].plane.classification = name
                evidence[i].hasChanged = true
            }
        }
    }

    private func name(_ i: Int, floor: Int?, ceiling: Int?) -> PlaneClassification {
        let plane = evidence[i].plane
        guard plane.alignment == .horizontal else { return plane.area >= settings.wallArea ? .wall : .none }
        if plane.normal.y < 0 { return ceiling.map { height($0) - height(i) < 0.1 } == true ? .ceiling : .none }
        guard let floor else { return .none }
        let above = height(i) - height(floor)
        // Pieces of a floor that haven't met yet.
        if i == floor || abs(above) < 0.05 { return .floor }
        if settings.seatHeights.contains(above), plane.area <= settings.seatArea { return .seat }
        return settings.tableHeights.contains(above) ? .table : .none
    }

    private func height(_ i: Int) -> Double { evidence[i].plane.worldCenter.y }
}
