// A model's arrays as Python keeps them.
#pragma once
#include "chain/model_arrays.hpp"
#include "python/arrays.hpp"

namespace dovetail {

inline nb::typed<nb::dict, nb::str, nb::object> to_dict(ModelArrays arrays) {
    nb::dict out;
    out["names"] = to_numpy(std::move(arrays.names));
    out["name_offsets"] = to_numpy(std::move(arrays.name_offsets));
    out["slots"] = to_numpy(std::move(arrays.slots));
    out["row"] = to_numpy(std::move(arrays.row));
    out["dense"] = to_numpy(std::move(arrays.dense));
    out["pair_label"] = to_numpy(std::move(arrays.pair_label));
    out["pair_weight"] = to_numpy(std::move(arrays.pair_weight));
    out["transitions"] = to_numpy(std::move(arrays.transitions));
    out["edge_row"] = to_numpy(std::move(arrays.edge_row));
    out["cell"] = to_numpy(std::move(arrays.cell));
    out["cell_weight"] = to_numpy(std::move(arrays.cell_weight));
    return nb::typed<nb::dict, nb::str, nb::object>(std::move(out));
}

}  // namespace dovetail
